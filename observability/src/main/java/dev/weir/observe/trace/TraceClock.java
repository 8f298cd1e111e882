package dev.weir.observe.trace;

import java.time.Instant;

/**
 * Converts readings of the monotonic clock to wall clock time, by the offset at its creation.
 *
 * @param offsetNanos wall clock minus monotonic clock
 */
record TraceClock(long offsetNanos) {
  private static final long NANOS = 1_000_000_000;

  /** Reads both clocks now. */
  static TraceClock now() {
    Instant wall = Instant.now();
    return new TraceClock(wall.getEpochSecond() * NANOS + wall.getNano() - System.nanoTime());
  }

  /** Nanoseconds since the epoch. */
  long toEpochNanos(long nanoTime) {
    return nanoTime + offsetNanos;
  }

  /** The current nanoseconds since the epoch. */
  long nowEpochNanos() {
    return toEpochNanos(System.nanoTime());
  }
}
