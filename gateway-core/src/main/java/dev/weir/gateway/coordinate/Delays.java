package dev.weir.gateway.coordinate;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Runs something later. Safe on any thread. */
@FunctionalInterface
public interface Delays {
  /** Runs {@code action} on {@code home} once {@code delay} has passed. */
  void after(Duration delay, Executor home, Runnable action);

  /** Waits in real time, on the JDK's one timer thread. */
  static Delays real() {
    return (delay, home, action) ->
        CompletableFuture.delayedExecutor(delay.toNanos(), TimeUnit.NANOSECONDS, home)
            .execute(action);
  }
}
