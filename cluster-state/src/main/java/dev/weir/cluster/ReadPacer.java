package dev.weir.cluster;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Bounds the share of the time that reads take, for the sake of the node that serves them: the next
 * read waits a multiple of the time that the last one took. Confined to one thread.
 */
final class ReadPacer {
  private static final long MAX_REST_NANOS = Duration.ofSeconds(10).toNanos();

  private final LongSupplier nanoTime;
  private long beganNanos;
  private long endedNanos;
  private long tookNanos;

  /** Creates a pacer whose first read does not wait. */
  ReadPacer(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.endedNanos = nanoTime.getAsLong() - MAX_REST_NANOS;
  }

  /** A read begins. */
  void begin() {
    beganNanos = nanoTime.getAsLong();
  }

  /** A read has ended. */
  void end() {
    endedNanos = nanoTime.getAsLong();
    tookNanos = endedNanos - beganNanos;
  }

  /** Returns how long the last read took. */
  long tookNanos() {
    return tookNanos;
  }

  /**
   * Returns how many nanoseconds the next read waits; at most 0 if it may begin.
   *
   * @param factor times the duration of the last read
   */
  long restNanos(int factor) {
    return endedNanos + Math.min(MAX_REST_NANOS, tookNanos * factor) - nanoTime.getAsLong();
  }
}
