package dev.weir.http.connection;

/**
 * Tells whether a client transfers fewer bytes than a minimum rate, averaged over windows of 30
 * seconds. Confined to its event loop.
 */
final class TransferRateMonitor {
  static final long WINDOW_SECONDS = 30;

  private static final long WINDOW_NANOS = WINDOW_SECONDS * 1_000_000_000L;

  private long windowStartNanos;
  private long bytes;

  /** Starts a window: the transfer begins, or goes on after a pause that was not the client's. */
  void restart(long nowNanos) {
    windowStartNanos = nowNanos;
    bytes = 0;
  }

  void add(long transferred) {
    bytes += transferred;
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
}
