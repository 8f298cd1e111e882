package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.common.util.concurrent.ThreadContext.StoredContext;
import org.opensearch.common.util.concurrent.ThreadContextInternals;

class RestThreadContextTest {
  private final RestThreadContext contexts =
      new RestThreadContext(RestDispatcherFixture.REGISTRIES.settings());
  private final ThreadContext context = contexts.threadContext();

  @AfterEach
  void close() {
    contexts.close();
  }

  @Test
  void restoreTheEmptyContextWithoutASnapshot() {
    StoredContext before = contexts.snapshot();
    assertThat(before).isSameAs(contexts.empty()).isSameAs(contexts.snapshot());
    context.putHeader("a", "1");
    context.putTransient("b", 2);
    context.addResponseHeader("Warning", "w");

    before.restore();

    assertThat(ThreadContextInternals.isDefault(context)).isTrue();
    assertThat(context.getHeaders()).isEmpty();
    assertThat(context.getResponseHeaders()).isEmpty();
    assertThat(context.<Object>getTransient("b")).isNull();
  }

  @Test
  void shareTheEmptyContextAmongThreads() throws InterruptedException {
    StoredContext[] snapshots = new StoredContext[1];
    Thread other = new Thread(() -> snapshots[0] = contexts.snapshot());
    context.putHeader("a", "1");
    other.start();
    other.join();

    assertThat(snapshots[0]).isSameAs(contexts.empty());
  }

  @Test
  void restoreWhatIsOutsideOfRequests() {
    context.putHeader("a", "1");
    context.putTransient("b", 2);
    context.addResponseHeader("Warning", "w");
    StoredContext before = contexts.snapshot();
    assertThat(before).isNotSameAs(contexts.empty());
    contexts.empty().restore();
    assertThat(context.getHeaders()).isEmpty();

    before.restore();

    assertThat(context.getHeaders()).isEqualTo(Map.of("a", "1"));
    assertThat(context.<Object>getTransient("b")).isEqualTo(2);
    assertThat(context.getResponseHeaders()).isEqualTo(Map.of("Warning", List.of("w")));
    contexts.empty().restore();
  }

  @Test
  void recognizeAContextThatIsStoredAlready() {
    List<Runnable> changes =
        List.of(
            () -> context.putHeader("a", "1"),
            () -> context.putTransient("b", 2),
            () -> context.putPersistent("c", 3),
            () -> context.addResponseHeader("Warning", "w"),
            () -> context.updateResponseHeader("Warning", "x"),
            context::stashContext);
    for (Runnable change : changes) {
      Object before = ThreadContextInternals.present(context);
      StoredContext stored = context.newStoredContext(false);
      assertThat(ThreadContextInternals.present(context)).isSameAs(before);

      change.run();
      assertThat(ThreadContextInternals.present(context)).isNotSameAs(before);

      stored.restore();
      assertThat(ThreadContextInternals.present(context)).isSameAs(before);
      change.run();
    }
    contexts.empty().restore();
  }
}
