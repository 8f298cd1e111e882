package dev.weir.core.actions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestContext;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.core.action.ActionListener;

/** The cost and memory of a multi-get's items stay small, however many there are. */
class MultiGetHandlerTest {
  private final Queue<Runnable> eventLoop = new ArrayDeque<>();
  private final RequestContext context = new RequestContext(eventLoop::add, 1, Map.of());
  private final DocumentActionsFixture nodes =
      new DocumentActionsFixture(
          DocumentActionsFixture.view(7, DocumentActionsFixture.index("logs", "u1", 2)));
  private @Nullable MultiGetResponse response;
  private @Nullable Exception failure;
  private int tasks;

  private void get(MultiGetRequest request) {
    nodes.multiGet(
        request,
        context,
        ActionListener.wrap(done -> response = done, refused -> failure = refused));
    for (Runnable task = eventLoop.poll(); task != null; task = eventLoop.poll()) {
      tasks++;
      task.run();
    }
  }

  private MultiGetItemResponse[] responses() {
    assertThat(failure).isNull();
    return Objects.requireNonNull(response).getResponses();
  }

  private static MultiGetRequest items(int count, String... indices) {
    MultiGetRequest request = new MultiGetRequest();
    for (int i = 0; i < count; i++) {
      request.add(indices[i % indices.length], Integer.toString(i));
    }
    return request;
  }

  @Test
  void askForANewerStateOnceForAllMissingIndices() {
    get(items(3000, "missing", "absent"));

    assertThat(nodes.refreshes).isEqualTo(1);
    assertThat(responses()).hasSize(3000).allMatch(MultiGetItemResponse::isFailed);
    assertThat(responses()[2999].getIndex()).isEqualTo("absent");
    assertThat(responses()[2999].getId()).isEqualTo("2999");
  }

  @Test
  void shareTheFailureOfAMissingIndex() {
    get(items(3000, "missing", "absent"));

    Set<Integer> failures =
        Arrays.stream(responses())
            .map(item -> System.identityHashCode(item.getFailure().getFailure()))
            .collect(Collectors.toSet());
    assertThat(failures).hasSize(2);
  }

  @Test
  void keepNoStackTraces() {
    String[] names = new String[600];
    Arrays.setAll(names, i -> "missing" + i);
    get(items(600, names));

    assertThat(responses())
        .allMatch(item -> item.getFailure().getFailure().getStackTrace().length == 0);
    assertThat(responses()[599].getFailure().getMessage()).isEqualTo("no such index [missing599]");
  }

  @Test
  void planSomeItemsATask() {
    get(items(MultiGetPlanner.MAX_ITEMS_PER_TASK * 4, "logs"));

    assertThat(tasks).isEqualTo(3);
    assertThat(nodes.refreshes).isZero();
    assertThat(nodes.sent).as("one request for each shard").hasSize(2);
  }

  @Test
  void planNoMoreAfterTheClientLeft() {
    nodes.multiGet(items(1000, "logs"), context, ActionListener.wrap(done -> {}, refused -> {}));
    context.cancel("the client left");
    eventLoop.forEach(Runnable::run);
    assertThat(nodes.sent).isEmpty();
  }
}
