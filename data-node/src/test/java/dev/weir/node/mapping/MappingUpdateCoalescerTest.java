package dev.weir.node.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.node.UnwritableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opensearch.OpenSearchServerException;
import org.opensearch.OpenSearchTimeoutException;
import org.opensearch.action.admin.indices.mapping.put.AutoPutMappingAction;
import org.opensearch.action.admin.indices.mapping.put.PutMappingAction;
import org.opensearch.action.admin.indices.mapping.put.PutMappingRequest;
import org.opensearch.action.support.ActionFilterChain;
import org.opensearch.action.support.ActionRequestMetadata;
import org.opensearch.action.support.clustermanager.AcknowledgedResponse;
import org.opensearch.cluster.metadata.ProcessClusterEventTimeoutException;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.action.ActionListener;
import org.opensearch.core.index.Index;
import org.opensearch.core.tasks.TaskCancelledException;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.index.mapper.MapperParsingException;
import org.opensearch.tasks.CancellableTask;
import org.opensearch.tasks.Task;
import org.opensearch.threadpool.Scheduler;

final class MappingUpdateCoalescerTest {
  private static final Index INDEX = new Index("logs", "uuid-1");
  private static final AcknowledgedResponse DONE = new AcknowledgedResponse(true);

  private final ThreadContext threadContext = new ThreadContext(Settings.EMPTY);
  private final VirtualScheduler scheduler = new VirtualScheduler();
  private final MappingUpdateCoalescer filter =
      new MappingUpdateCoalescer(() -> TimeUnit.MILLISECONDS.toNanos(scheduler.nowMillis));
  private final List<Sent> sent = new ArrayList<>();

  /** An update that passed the filter. */
  private record Sent(
      PutMappingRequest request, ActionListener<AcknowledgedResponse> listener, String user) {}

  /** The result of an update; null while there is none. */
  private static final class Result implements ActionListener<AcknowledgedResponse> {
    private @Nullable Object value;
    private int count;

    /** Whether each answer fails. */
    private boolean isBroken;

    @Override
    public void onResponse(AcknowledgedResponse response) {
      set(response);
    }

    @Override
    public void onFailure(Exception failure) {
      set(failure);
    }

    private void set(Object answer) {
      value = answer;
      count++;
      if (isBroken) {
        throw new IllegalStateException("a listener, on purpose");
      }
    }
  }

  /** Runs what is scheduled when the test says so. */
  private static final class VirtualScheduler implements Scheduler {
    private final List<Timer> timers = new ArrayList<>();
    private long nowMillis = 1000;

    private record Timer(long atMillis, Runnable command, AtomicBoolean cancelled)
        implements ScheduledCancellable {
      @Override
      public boolean cancel() {
        return cancelled.compareAndSet(false, true);
      }

      @Override
      public boolean isCancelled() {
        return cancelled.get();
      }

      @Override
      public long getDelay(TimeUnit unit) {
        throw new UnsupportedOperationException("not needed");
      }

      @Override
      public int compareTo(Delayed other) {
        throw new UnsupportedOperationException("not needed");
      }
    }

    @Override
    public ScheduledCancellable schedule(Runnable command, TimeValue delay, String executor) {
      Timer timer = new Timer(nowMillis + delay.millis(), command, new AtomicBoolean());
      timers.add(timer);
      return timer;
    }

    void advance(long millis) {
      nowMillis += millis;
      for (Timer due = next(); due != null; due = next()) {
        timers.remove(due);
        due.command().run();
      }
    }

    private @Nullable Timer next() {
      timers.removeIf(Timer::isCancelled);
      return timers.stream()
          .filter(timer -> timer.atMillis() <= nowMillis)
          .min(Comparator.comparingLong(Timer::atMillis))
          .orElse(null);
    }
  }

  @BeforeEach
  void start() {
    OpenSearchServerException.registerExceptions(); // as a node does
    filter.setThreads(threadContext, scheduler);
  }

  @AfterEach
  void holdNothing() {
    scheduler.advance(TimeUnit.HOURS.toMillis(1));
    for (int i = 0; i < sent.size(); i++) {
      sent.get(i).listener().onResponse(DONE); // ignored by those that ended
    }
    assertThat(filter.inFlight()).isZero();
  }

  private Result ask(String source) {
    return ask(
        AutoPutMappingAction.NAME, new Task(1, "", "", "", TaskId.EMPTY_TASK_ID, Map.of()), source);
  }

  private Result ask(String action, Task task, String source) {
    PutMappingRequest request = new PutMappingRequest();
    request.setConcreteIndex(INDEX);
    request.source(source, MediaTypeRegistry.JSON);
    request.timeout(TimeValue.ZERO);
    request.clusterManagerNodeTimeout(TimeValue.timeValueSeconds(30));
    Result result = new Result();
    ActionFilterChain<PutMappingRequest, AcknowledgedResponse> chain =
        (t, a, r, listener) -> sent.add(new Sent(r, listener, threadContext.getHeader("user")));
    filter.apply(task, action, request, ActionRequestMetadata.empty(), result, chain);
    return result;
  }

  private void askAs(String user) {
    ThreadContext.StoredContext before = threadContext.stashContext();
    try {
      threadContext.putHeader("user", user);
      ask(field("a"));
    } finally {
      before.close();
    }
  }

  private static String field(String name) {
    return "{\"properties\":{\"" + name + "\":{\"type\":\"long\"}}}";
  }

  @Test
  void sendIdenticalUpdatesOnce() {
    List<Result> results = List.of(ask(field("a")), ask(field("a")), ask(field("a")));

    assertThat(sent).hasSize(1);
    assertThat(results).allMatch(result -> result.count == 0);
    sent.getFirst().listener().onResponse(DONE);
    assertThat(results)
        .allSatisfy(result -> {
          assertThat(result.value).isSameAs(DONE);
          assertThat(result.count).isEqualTo(1);
        });
  }

  @Test
  void sendDifferentUpdatesEach() {
    ask(field("a"));
    ask(field("b"));
    ask(PutMappingAction.NAME, new Task(1, "", "", "", TaskId.EMPTY_TASK_ID, Map.of()), field("a"));

    assertThat(sent).hasSize(3);
  }

  @Test
  void sendALaterUpdateAgain() {
    ask(field("a"));
    sent.getFirst().listener().onResponse(DONE);

    Result later = ask(field("a"));

    assertThat(sent).hasSize(2);
    assertThat(later.count).isZero();
  }

  @Test
  void giveEachItsOwnFailure() {
    Result first = ask(field("a"));
    List<Result> others = List.of(ask(field("a")), ask(field("a")), ask(field("a")));
    sent.getFirst().listener().onFailure(new MapperParsingException("limit reached"));
    assertThat(first.value).isInstanceOf(MapperParsingException.class);
    assertThat(others).allMatch(result -> result.count == 0);

    scheduler.advance(0); // one of those that were asked for before it failed
    assertThat(sent).hasSize(2);
    Result late = ask(field("a"));
    sent.get(1).listener().onFailure(new MapperParsingException("limit reached again"));

    assertThat(others)
        .allSatisfy(result ->
            assertThat(result.value)
                .isInstanceOf(MapperParsingException.class)
                .extracting(failure -> ((Exception) failure).getMessage())
                .isEqualTo("limit reached again"));
    assertThat(others.stream().map(result -> result.value).distinct()).hasSize(3);
    assertThat(late.count).as("asked for after that one was sent").isZero();
    scheduler.advance(0);
    sent.get(2).listener().onResponse(DONE);
    assertThat(late.value).isSameAs(DONE);
  }

  @Test
  void answerAllWithAFailureThatCanNotBeCopied() {
    ask(field("a"));
    List<Result> others = List.of(ask(field("a")), ask(field("a")), ask(field("a")));
    sent.getFirst().listener().onFailure(new MapperParsingException("limit reached"));
    scheduler.advance(0);
    sent.get(1).listener().onFailure(new UnwritableException());

    assertThat(others)
        .allSatisfy(result -> {
          assertThat(result.value instanceof UnwritableException).isTrue();
          assertThat(result.count).isEqualTo(1);
        });
  }

  @Test
  void answerTheOthersBesideAListenerThatThrows() {
    Result first = ask(field("a"));
    List<Result> others = List.of(ask(field("a")), ask(field("a")));
    first.isBroken = true;
    sent.getFirst().listener().onResponse(DONE);

    assertThat(first.value).as("its own failure").isInstanceOf(IllegalStateException.class);
    assertThat(first.count).as("as from OpenSearch").isEqualTo(2);
    assertThat(others)
        .allSatisfy(result -> {
          assertThat(result.value).isSameAs(DONE);
          assertThat(result.count).isEqualTo(1);
        });

    first = ask(field("b"));
    first.isBroken = true;
    Result next = ask(field("b"));
    sent.get(1).listener().onFailure(new OpenSearchTimeoutException("no manager"));
    scheduler.advance(0);
    sent.get(2).listener().onResponse(DONE);
    assertThat(first.count).isEqualTo(1);
    assertThat(next.value).isSameAs(DONE);
  }

  @Test
  void outliveTheTimeoutOfTheFirst() {
    Result first = ask(field("a"));
    scheduler.advance(20_000);
    Result second = ask(field("a"));
    scheduler.advance(10_000);
    sent.getFirst().listener().onFailure(new OpenSearchTimeoutException("no manager"));
    scheduler.advance(0);

    assertThat(first.value).isInstanceOf(OpenSearchTimeoutException.class);
    assertThat(second.count).isZero();
    assertThat(sent.get(1).request().clusterManagerNodeTimeout().seconds()).isEqualTo(20);
    sent.get(1).listener().onResponse(DONE);
    assertThat(second.value).isSameAs(DONE);
  }

  @Test
  void failAFollowerAtItsOwnTimeout() {
    Result first = ask(field("a"));
    Result second = ask(field("a"));
    scheduler.advance(30_000);

    assertThat(first.count).as("left to the cluster manager").isZero();
    assertThat(second.value).isInstanceOf(ProcessClusterEventTimeoutException.class);
    sent.getFirst().listener().onResponse(DONE);
    assertThat(second.count).isEqualTo(1);
  }

  @Test
  void failACancelledFollowerAndServeTheNext() {
    CancellableTask cancelled =
        new CancellableTask(2, "", "", "", TaskId.EMPTY_TASK_ID, Map.of()) {
          @Override
          public boolean shouldCancelChildrenOnCancellation() {
            return false;
          }
        };
    Result first = ask(field("a"));
    Result second = ask(AutoPutMappingAction.NAME, cancelled, field("a"));
    Result third = ask(field("a"));
    cancelled.cancel("gone");
    sent.getFirst().listener().onFailure(new TaskCancelledException("the first is gone too"));
    scheduler.advance(0);

    assertThat(first.value).isInstanceOf(TaskCancelledException.class);
    assertThat(second.value).isInstanceOf(TaskCancelledException.class);
    assertThat(sent).hasSize(2);
    sent.get(1).listener().onResponse(DONE);
    assertThat(third.value).isSameAs(DONE);
  }

  @Test
  void sendAFollowerInItsOwnThreadContext() {
    askAs("ada");
    askAs("grace");
    sent.getFirst().listener().onFailure(new OpenSearchTimeoutException("no manager"));
    scheduler.advance(0);

    assertThat(sent).extracting(Sent::user).containsExactly("ada", "grace");
    assertThat(threadContext.getHeader("user")).isNull();
  }
}
