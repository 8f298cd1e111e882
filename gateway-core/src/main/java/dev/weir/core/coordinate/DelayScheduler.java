package dev.weir.core.coordinate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Runs something later. Safe on any thread. */
@FunctionalInterface
public interface DelayScheduler {
  /** Runs {@code action} on {@code home} once {@code delay} has passed. */
  void schedule(Duration delay, Executor home, Runnable action);

  /**
   * Like {@link #schedule}, unless it is called off before that.
   *
   * @return calls it off; used on {@code home}
   */
  default Runnable scheduleCancellable(Duration delay, Executor home, Runnable action) {
    CancellableAction alarm = new CancellableAction(action);
    schedule(delay, home, alarm);
    return alarm::cancel;
  }

  /** What runs at some time unless it was called off; then it holds on to nothing. */
  final class CancellableAction implements Runnable {
    private @Nullable Runnable action;

    /** Makes one that is not called off. */
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

    /** Calls it off; does nothing once it ran. */
    public void cancel() {
      action = null;
    }
  }

  /** Waits in real time, on the JDK's one timer thread. */
  static DelayScheduler jdkTimer() {
    return (delay, home, action) ->
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, home)
            .execute(action);
  }
}
