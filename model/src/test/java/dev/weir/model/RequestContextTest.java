package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RequestContextTest {
  private final List<Runnable> tasks = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final RequestContext context = new RequestContext(tasks::add, 7, Map.of());

  private Runnable event(String name) {
    return () -> events.add(name);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.removeFirst().run();
    }
  }

  // Cancellation.

  @Test
  void cancelOnceWithTheFirstReason() {
    context.onCancel(event("cancelled"));

    context.cancel("first");
    context.cancel("second");

    assertThat(context.cancelReason()).isEqualTo("first");
    assertThat(events).containsExactly("cancelled");
  }

  @Test
  void runCallbacksInTheOrderOfRegistrationAndAbandonedOnesLast() {
    context.onAbandoned(event("abandoned"));
    context.onCancel(event("first"));
    context.onCancel(event("second"));

    context.cancel("test");

    assertThat(events).containsExactly("first", "second", "abandoned");
  }

  @Test
  void runACallbackAtOnceAfterTheCancellation() {
    context.cancel("test");

    context.onCancel(event("cancelled"));
    context.onAbandoned(event("abandoned"));

    assertThat(events).containsExactly("cancelled", "abandoned");
  }

  @Test
  void runACallbackThatACallbackRegisters() {
    context.onCancel(() -> context.onCancel(event("inner")));
    context.onCancel(event("outer"));

    context.cancel("test");

    assertThat(events).containsExactly("inner", "outer");
  }

  @Test
  void runAllCancelCallbacksWhenOneOfThemEndsTheRequest() {
    context.onCancel(context::end);
    context.onCancel(event("cancelled"));
    context.onAbandoned(event("abandoned"));
    context.onEnd(event("ended"));

    context.cancel("test");

    assertThat(events).containsExactly("ended", "cancelled");
  }

  @Test
  void abandonOnceWithoutCancelling() {
    context.onAbandoned(event("abandoned"));
    context.onCancel(event("cancelled"));

    context.abandon();
    context.abandon();
    assertThat(events).containsExactly("abandoned");
    assertThat(context.cancelReason()).isNull();

    context.cancel("test");
    assertThat(events).containsExactly("abandoned", "cancelled");
  }

  // End.

  @Test
  void endOnceAndRunLaterCallbacksAtOnce() {
    context.onEnd(event("first"));
    context.onEnd(event("second"));

    context.end();
    context.end();
    context.onEnd(event("late"));

    assertThat(events).containsExactly("first", "second", "late");
  }

  @Test
  void ignoreCancelAndAbandonAfterTheEnd() {
    context.onCancel(event("cancelled"));
    context.onAbandoned(event("abandoned"));
    context.onExpiry(event("expired"));
    context.end();

    context.cancel("test");
    context.abandon();
    context.expire("test");
    context.onCancel(event("cancelled late"));
    context.onAbandoned(event("abandoned late"));

    assertThat(context.cancelReason()).isNull();
    assertThat(events).isEmpty();
  }

  @Test
  void endACancelledRequest() {
    context.onEnd(event("ended"));

    context.cancel("test");
    context.end();

    assertThat(events).containsExactly("ended");
    assertThat(context.cancelReason()).isEqualTo("test");
  }

  // Deadline.

  @Test
  void keepTheEarliestDeadline() {
    Deadline early = Deadline.after(0, Duration.ofMillis(1), "early");
    Deadline late = Deadline.after(0, Duration.ofMillis(2), "late");
    assertThat(context.deadline()).isSameAs(Deadline.NONE);

    context.limitDeadline(late);
    assertThat(context.deadline()).isSameAs(late);
    context.limitDeadline(early);
    context.limitDeadline(late);
    assertThat(context.deadline()).isSameAs(early);
  }

  @Test
  void cancelBeforeRespondingWithPartialResultsAtTheDeadline() {
    context.onExpiry(event("respond"));
    context.onAbandoned(event("abandoned"));
    context.onCancel(event("cancelled"));

    context.expire("too late");
    context.expire("too late again");

    assertThat(events).containsExactly("cancelled", "abandoned", "respond");
    assertThat(context.cancelReason()).isEqualTo("too late");
  }

  @Test
  void reportAPassedDeadlineInATaskOfItsOwn() {
    context.setDeadlineExceededHandler(event("responded"));

    context.reportDeadlineExceeded();
    context.runLater(event("later"));
    assertThat(events).isEmpty();

    runTasks();
    assertThat(events).containsExactly("responded", "later");
  }

  // Scope and threads.

  @Test
  void runTasksWithinTheScopeOnTheEventLoop() {
    RequestContext scoped =
        new RequestContext(
            tasks::add,
            task -> {
              events.add("enter");
              task.run();
              events.add("leave");
            },
            7,
            Map.of());

    scoped.run(event("at once"));
    scoped.runLater(event("later"));
    assertThat(events).containsExactly("enter", "at once", "leave");

    runTasks();
    assertThat(events).containsExactly("enter", "at once", "leave", "enter", "later", "leave");
  }

  /** Many threads post to one request; its callbacks run on its event loop, each once. */
  @Test
  void runTasksOfOtherThreadsOnTheEventLoop() throws Exception {
    int threads = 8;
    int rounds = 200;
    try (ExecutorService loop = Executors.newSingleThreadExecutor();
        ExecutorService others = Executors.newFixedThreadPool(threads)) {
      Thread loopThread = loop.submit(Thread::currentThread).get();
      for (int round = 0; round < rounds; round++) {
        RequestContext request = new RequestContext(loop, round, Map.of());
        List<String> seen = new ArrayList<>();
        AtomicInteger elsewhere = new AtomicInteger();
        CountDownLatch posted = new CountDownLatch(threads);
        Runnable check =
            () -> {
              if (!Thread.currentThread().equals(loopThread)) {
                elsewhere.incrementAndGet();
              }
            };
        loop.submit(
                () -> {
                  request.onCancel(() -> seen.add("cancelled"));
                  request.onEnd(() -> seen.add("ended"));
                  request.setDeadlineExceededHandler(() -> {
                    check.run();
                    request.cancel("deadline");
                  });
                })
            .get();
        for (int i = 0; i < threads; i++) {
          boolean reports = i % 2 == 0;
          others.execute(() -> {
            if (reports) {
              request.reportDeadlineExceeded();
            } else {
              request.runLater(() -> {
                check.run();
                request.cancel("node lost");
              });
            }
            posted.countDown();
          });
        }
        assertThat(posted.await(30, TimeUnit.SECONDS)).isTrue();
        loop.submit(request::end).get();

        assertThat(seen).containsExactly("cancelled", "ended");
        assertThat(elsewhere).hasValue(0);
      }
    }
  }

  // Parts of a request.

  @Test
  void giveAPartTheIdentityAndTheDeadlineButALifeOfItsOwn() {
    Deadline deadline = Deadline.after(0, Duration.ofMillis(1), "test");
    RequestContext whole =
        new RequestContext(tasks::add, Runnable::run, 9, Map.of("X-Opaque-Id", "me"), "tenant");
    whole.limitDeadline(deadline);
    whole.markInternal();
    whole.setOriginalRequest("GET", "/_msearch");

    RequestContext part = whole.newSubContext();
    assertThat(part.taskId()).isEqualTo(9);
    assertThat(part.tenant()).isEqualTo("tenant");
    assertThat(part.transportHeaders()).containsEntry("X-Opaque-Id", "me");
    assertThat(part.deadline()).isSameAs(deadline);
    assertThat(part.isInternal()).isTrue();
    assertThat(part.requestSummary()).isEqualTo(whole.requestSummary()).contains("/_msearch");

    whole.onCancel(event("whole"));
    part.onCancel(event("part"));
    part.cancel("test");
    assertThat(events).containsExactly("part");
    whole.cancel("test");
    assertThat(events).containsExactly("part", "whole");
  }

  @Test
  void nameTheDefaultTenantAndNoRequestLineUntilTheyAreKnown() {
    assertThat(context.tenant()).isEqualTo(RequestContext.DEFAULT_TENANT);
    assertThat(context.requestSummary()).isEmpty();
    assertThat(context.isInternal()).isFalse();
  }
}
