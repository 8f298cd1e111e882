package dev.weir.protocol;

import io.github.resilience4j.core.IntervalFunction;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * A delay before the next attempt, which grows with each consecutive failure up to a maximum. The
 * only backoff of the project; callers count their failures themselves. Immutable.
 */
public final class Backoff {
  /** After this many steps every delay in a long has reached its maximum. */
  private static final int MAX_STEPS = 64;

  /** Resilience4j documents milliseconds but only multiplies; these numbers are nanoseconds. */
  private final IntervalFunction nanosByFailures;

  /**
   * Creates a backoff.
   *
   * @param initial the delay after the first failure
   * @param multiplier the factor of each further failure
   * @param max the longest delay
   */
  public Backoff(Duration initial, double multiplier, Duration max) {
    long initialNanos = Math.max(1, initial.toNanos());
    this.nanosByFailures =
        IntervalFunction.ofExponentialBackoff(
            initialNanos, multiplier, Math.max(initialNanos, max.toNanos()));
  }

  /** Returns the nanoseconds to wait after a number of consecutive failures; zero after none. */
  public long delayNanos(int failures) {
    return failures <= 0 ? 0 : nanosByFailures.apply(Math.min(failures, MAX_STEPS));
  }

  /**
   * Returns the delay with a random second half, so that callers that failed together do not retry
   * together.
   */
  public long jitteredDelayNanos(int failures, RandomGenerator random) {
    long half = delayNanos(failures) / 2;
    return half + random.nextLong(half + 1);
  }
}
