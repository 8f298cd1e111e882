package dev.weir.core.coordinate;

import dev.weir.core.reduce.CancellableWork;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether a search was cancelled, and the stopping of what it has on nodes: first nothing more is
 * sent, then tasks are cancelled, then once more, because a node may get a task just after it was
 * told. Confined to the request's home.
 */
final class SearchCancellation {
  private static final Duration AGAIN_AFTER = Duration.ofMillis(100);

  private final OutstandingCalls calls;
  private final Delays delays;
  private @Nullable CancellableWork work;
  private @Nullable String reason;
  private @Nullable Runnable noMoreTime;
  private String tooLate = "";
  private boolean over;

  SearchCancellation(OutstandingCalls calls, Delays delays) {
    this.calls = calls;
    this.delays = delays;
  }

  /** From now on this is the work to cancel. */
  void watch(CancellableWork current) {
    work = current;
    current.whenHopeless(this::cancel);
    if (reason != null) {
      current.cancel(reason);
    }
  }

  /** Cancels the search when it is not over by then; zero for never. */
  void cancelAfter(Duration time, String why) {
    if (!time.isZero() && noMoreTime == null) {
      tooLate = why;
      calls.limit(time, "cancel_after_time_interval");
      noMoreTime = delays.unlessCalledOff(time, calls.later(), () -> cancel(why));
    }
  }

  /** Cancels the search; the first call counts. */
  void cancel(String why) {
    if (over || reason != null) {
      return;
    }
    reason = why;
    if (work != null) {
      work.cancel(why);
    }
    if (stopTasks()) {
      delays.after(AGAIN_AFTER, calls.later(), this::stopTasks);
    }
  }

  /** Whether the search was cancelled. */
  boolean cancelled() {
    return reason != null;
  }

  /**
   * Why nothing more must be sent; null while sending is fine. Where that is the request's deadline
   * and no timer has told of it yet, this does, so that no answer goes out that lacks what is not
   * sent.
   */
  @Nullable Exception refusal() {
    if (reason == null && calls.expired()) {
      cancel(calls.overdue() ? "the deadline of " + calls.deadline() + " has passed" : tooLate);
    }
    return reason == null || work == null ? null : work.cancelled();
  }

  /** The search is over: nothing is cancelled any more. */
  void end() {
    over = true;
    if (noMoreTime != null) {
      noMoreTime.run();
    }
  }

  private boolean stopTasks() {
    if (work == null || reason == null) {
      return false;
    }
    return calls.cancelTasks(work, reason);
  }
}
