package dev.weir.it.faults;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for a condition, for a bounded time. */
public final class Await {
  /** Longer than a cluster takes to drop a frozen node, on a slow machine. */
  static final Duration TIMEOUT = Duration.ofMinutes(3);

  private static final long PAUSE_NANOS = 20_000_000;

  private Await() {}

  /**
   * Returns the first value that a condition accepts; fails after a timeout.
   *
   * @param expected what the condition accepts, for the message
   */
  public static <T> T untilValue(String expected, Supplier<T> source, Predicate<T> condition) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    T value = source.get();
    while (!condition.test(value)) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError(
            "got " + value + " after " + TIMEOUT.toSeconds() + " s (expected: " + expected + ")");
      }
      LockSupport.parkNanos(PAUSE_NANOS);
      value = source.get();
    }
    return value;
  }

  /** Returns whether a condition becomes true in time. */
  public static boolean holds(Duration within, BooleanSupplier condition) {
    long deadline = System.nanoTime() + within.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return true;
  }
}
