package dev.weir.core.coordinate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether a search was cancelled, and the stopping of what it has on nodes: first nothing more is
 * sent, then tasks are cancelled, then once more, because a node may get a task just after it was
 * told. Confined to the request's home.
 */
final class SearchCancellation {
  private static final Duration REPEAT_DELAY = Duration.ofMillis(100);

  private final OutstandingCalls calls;
  private final DelayScheduler delays;
  private @Nullable CancellableWork work;
  private @Nullable String reason;
  private @Nullable Runnable cancelTimer;
  private String timeoutReason = "";
  private boolean ended;

  SearchCancellation(OutstandingCalls calls, DelayScheduler delays) {
    this.calls = calls;
    this.delays = delays;
  }

  /** From now on this is the work to cancel. */
  void setWork(CancellableWork current) {
    work = current;
    current.onUnrecoverable(this::cancel);
    if (reason != null) {
      current.cancel(reason);
    }
  }

  /** Cancels the search when it is not over by then; zero for never. */
  void cancelAfter(Duration time, String why) {
    if (!time.isZero() && cancelTimer == null) {
      timeoutReason = why;
      calls.limitDeadline(time, "cancel_after_time_interval");
      cancelTimer = delays.scheduleCancellable(time, calls.executor(), () -> cancel(why));
    }
  }

  /** Cancels the search; the first call counts. */
  void cancel(String why) {
    if (ended || reason != null) {
      return;
    }
    reason = why;
    if (work != null) {
      work.cancel(why);
    }
    if (stopTasks()) {
      delays.schedule(REPEAT_DELAY, calls.executor(), this::stopTasks);
    }
  }

  /** Whether the search was cancelled. */
  boolean isCancelled() {
    return reason != null;
  }

  /**
   * Why nothing more must be sent; null while sending is fine. Where that is the request's deadline
   * and no timer has told of it yet, this does, so that no answer goes out that lacks what is not
   * sent.
   */
  @Nullable Exception checkCancelled() {
    if (reason == null && calls.isExpired()) {
      cancel(
          calls.markOverdue()
              ? "the deadline of " + calls.deadline() + " has passed"
              : timeoutReason);
    }
    return reason == null || work == null ? null : work.cancellationException();
  }

  /** The search is over: nothing is cancelled any more. */
  void end() {
    ended = true;
    if (cancelTimer != null) {
      cancelTimer.run();
    }
  }

  private boolean stopTasks() {
    if (work == null || reason == null) {
      return false;
    }
    return calls.cancelTasks(work, reason);
  }
}
