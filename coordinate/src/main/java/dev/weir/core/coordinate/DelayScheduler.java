package dev.weir.core.coordinate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs actions later. Safe on any thread. */
@FunctionalInterface
public interface DelayScheduler {
  /** Runs {@code action} on {@code eventLoop} after {@code delay}. */
  void schedule(Duration delay, Executor eventLoop, Runnable action);

  /**
   * Like {@link #schedule}, unless it is cancelled before.
   *
   * @return cancels the action; used on {@code eventLoop}
   */
  default Runnable scheduleCancellable(Duration delay, Executor eventLoop, Runnable action) {
    CancellableAction alarm = new CancellableAction(action);
    schedule(delay, eventLoop, alarm);
    return alarm::cancel;
  }

  /** An action that releases what it refers to once it ran or was cancelled. */
  final class CancellableAction implements Runnable {
    private @Nullable Runnable action;

    /** Wraps an action that is not cancelled. */
    public CancellableAction(Runnable action) {
      this.action = action;
    }

    @Override
    public void run() {
      Runnable due = action;
      action = null;
      if (due != null) {
        due.run();
      }
    }

    /** Cancels the action; does nothing once it ran. */
    public void cancel() {
      action = null;
    }
  }

  /** Waits in real time, on the JDK's one timer thread. */
  static DelayScheduler jdkTimer() {
    return (delay, eventLoop, action) ->
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, eventLoop)
            .execute(action);
  }
}
