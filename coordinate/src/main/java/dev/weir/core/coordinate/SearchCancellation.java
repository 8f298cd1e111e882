package dev.weir.core.coordinate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Records whether a search was cancelled, and stops its calls: it sends nothing more, then bans the
 * tasks of those in flight, once: a node keeps a ban, and refuses the tasks that it receives after
 * it. Confined to the request's event loop.
 */
final class SearchCancellation {
  private final OutstandingCalls calls;
  private final DelayScheduler delays;
  private @Nullable CancellableWork work;
  private @Nullable String reason;
  private @Nullable Runnable cancelTimer;
  private String timeoutReason = "";
  private int attempts;
  private boolean ended;

  SearchCancellation(OutstandingCalls calls, DelayScheduler delays) {
    this.calls = calls;
    this.delays = delays;
  }

  /** Sets the work that is cancelled from now on. What it replaces can't cancel the search. */
  void setWork(CancellableWork current) {
    work = current;
    attempts++;
    int attempt = attempts;
    current.onUnrecoverable(why -> {
      if (attempt == attempts) {
        cancel(why);
      }
    });
    if (reason != null) {
      current.cancel(reason);
    }
  }

  /** Cancels the search unless it ends before; zero for never. */
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
    CancellableWork current = work;
    if (current != null) {
      current.cancel(why);
      calls.cancelTasks(current, why);
    }
  }

  boolean isCancelled() {
    return reason != null;
  }

  /**
   * Why nothing more may be sent; null while sending is allowed. If the reason is the request's
   * deadline and no timer has fired for it yet, this method cancels the search, so that no response
   * lacks what was not sent.
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

  /** Ends the search: nothing is cancelled any more. */
  void end() {
    ended = true;
    if (cancelTimer != null) {
      cancelTimer.run();
    }
  }
}
