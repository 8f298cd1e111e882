package dev.weir.protocol;

import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: grows with each failure in a row up to a maximum. The
 * only backoff of the project; callers count their failures themselves. Immutable.
 */
public final class Backoff {
  /** By then every delay that fits into a long has reached its maximum. */
  private static final int MAX_STEPS = 64;

  /** Resilience4j speaks of milliseconds, but only multiplies: here the numbers are nanoseconds. */
  private final IntervalFunction nanosByFailures;

  /**
   * Makes a backoff.
   *
   * @param initial the delay after the first failure
   * @param multiplier of each further failure
   * @param max the longest delay
   */
  public Backoff(Duration initial, double multiplier, Duration max) {
    long initialNanos = Math.max(1, initial.toNanos());
    this.nanosByFailures =
        IntervalFunction.ofExponentialBackoff(
            initialNanos, multiplier, Math.max(initialNanos, max.toNanos()));
  }

  /** Nanoseconds to wait after so many failures in a row; zero after none. */
  public long delayNanos(int failures) {
    return failures <= 0 ? 0 : nanosByFailures.apply(Math.min(failures, MAX_STEPS));
  }

  /**
   * The same with its last half left to chance, so that several that failed at once don't try again
   * at once.
   */
  public long jitteredDelayNanos(int failures, RandomGenerator random) {
    long half = delayNanos(failures) / 2;
    return half + random.nextLong(half + 1);
  }
}
