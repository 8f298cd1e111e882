package dev.weir.protocol;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt to connect: doubles with each failure up to a bound, and
 * the last half of it is left to chance, so that gateways do not come all at once. Confined to a
 * loop.
 */
final class Backoff {
  private final long initialNanos;
  private final long maxNanos;
  private final RandomGenerator random;

  Backoff(Duration first, Duration most, RandomGenerator random) {
    this.initialNanos = Math.max(1, first.toNanos());
    this.maxNanos = Math.max(initialNanos, most.toNanos());
    this.random = random;
  }

  /** Nanoseconds to wait after so many failures in a row; zero after none. */
  long delayNanos(int failures) {
    if (failures <= 0) {
      return 0;
    }
    int doublings = Math.min(failures - 1, 40);
    long whole =
        initialNanos > maxNanos >> doublings
            ? maxNanos
            : Math.min(maxNanos, initialNanos << doublings);
    return whole / 2 + random.nextLong(whole / 2 + 1);
  }
}
