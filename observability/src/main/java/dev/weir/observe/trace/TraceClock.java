package dev.weir.observe.trace;

import java.time.Instant;

/**
 * Points of the monotonic clock as points of the wall clock, by what both said at once.
 *
 * @param offsetNanos by how much the wall clock was ahead
 */
record TraceClock(long offsetNanos) {
  private static final long NANOS = 1_000_000_000;

  /** By what they say now. */
  static TraceClock now() {
    Instant wall = Instant.now();
    return new TraceClock(wall.getEpochSecond() * NANOS + wall.getNano() - System.nanoTime());
  }

  /** Nanoseconds since the epoch. */
  long toEpochNanos(long nanoTime) {
    return nanoTime + offsetNanos;
  }

  /** Nanoseconds since the epoch, now. */
  long nowEpochNanos() {
    return toEpochNanos(System.nanoTime());
  }
}
