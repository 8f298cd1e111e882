package dev.weir.http.connection;

/**
 * Tells whether a client transfers fewer bytes than a minimum rate: averaged over windows of 30
 * seconds, or over the whole transfer. Confined to its event loop.
 */
final class TransferRateMonitor {
  static final long WINDOW_SECONDS = 30;

  private static final long WINDOW_NANOS = WINDOW_SECONDS * 1_000_000_000L;

  /** How long a rate is measured, in nanoseconds. */
  private static final long MIN_SAMPLE_NANOS = 5_000_000_000L;

  private long windowStartNanos;
  private long bytes;
  private long startNanos;
  private long totalBytes;
  private long sampleStartNanos;
  private long sampleBytes;
  private long bytesPerSecond = MonitoredConnection.UNKNOWN_RATE;

  /** Starts to measure a transfer. */
  void start(long nowNanos) {
    restart(nowNanos);
    startNanos = nowNanos;
    totalBytes = 0;
    sampleStartNanos = nowNanos;
    sampleBytes = 0;
    bytesPerSecond = MonitoredConnection.UNKNOWN_RATE;
  }

  /** Starts a window: the transfer begins, or goes on after a pause that was not the client's. */
  void restart(long nowNanos) {
    windowStartNanos = nowNanos;
    bytes = 0;
  }

  void add(long transferred) {
    bytes += transferred;
    sampleBytes += transferred;
    totalBytes += transferred;
  }

  /**
   * Returns whether the window that has passed was too slow; starts the next window if it was not.
   */
  boolean isTooSlow(long nowNanos, long minBytesPerSecond) {
    if (nowNanos - windowStartNanos < WINDOW_NANOS) {
      return false;
    }
    if (bytes < minBytesPerSecond * WINDOW_SECONDS) {
      return true;
    }
    restart(nowNanos);
    return false;
  }

  /**
   * Returns whether the whole transfer so far was too slow. Never true for a client that reads
   * faster than the minimum, although the kernel takes bytes by the megabyte: it has always taken
   * more than the client has read.
   */
  boolean isBehind(long nowNanos, long minBytesPerSecond) {
    long nanos = nowNanos - startNanos;
    return nanos > WINDOW_NANOS && totalBytes < minBytesPerSecond * (nanos / 1_000_000_000L);
  }

  /** Measures the rate again when five seconds have passed since the last time. */
  void sample(long nowNanos) {
    long nanos = nowNanos - sampleStartNanos;
    if (nanos >= MIN_SAMPLE_NANOS) {
      bytesPerSecond = sampleBytes / (nanos / 1_000_000_000L);
      sampleStartNanos = nowNanos;
      sampleBytes = 0;
    }
  }

  /**
   * Returns the rate that was measured last; {@link MonitoredConnection#UNKNOWN_RATE} before the
   * first time.
   */
  long bytesPerSecond() {
    return bytesPerSecond;
  }
}
