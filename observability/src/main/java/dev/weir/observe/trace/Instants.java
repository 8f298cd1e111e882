package dev.weir.observe.trace;

import java.time.Instant;

/**
 * Points of the monotonic clock as points of the wall clock, by what both said at once.
 *
 * @param aheadNanos by how much the wall clock was ahead
 */
record Instants(long aheadNanos) {
  private static final long NANOS = 1_000_000_000;

  /** By what they say now. */
  static Instants now() {
    Instant wall = Instant.now();
    return new Instants(wall.getEpochSecond() * NANOS + wall.getNano() - System.nanoTime());
  }

  /** Nanoseconds since the epoch. */
  long at(long nanoTime) {
    return nanoTime + aheadNanos;
  }

  /** Nanoseconds since the epoch, now. */
  long current() {
    return at(System.nanoTime());
  }
}
