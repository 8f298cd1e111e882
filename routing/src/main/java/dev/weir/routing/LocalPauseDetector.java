package dev.weir.routing;

import java.time.Duration;

/**
 * Detects pauses of this process by a late heartbeat. After a pause, responses are still unread in
 * sockets and timers have expired, so that healthy nodes look silent. Safe on any thread; one
 * thread sends heartbeats. Without heartbeats it detects no pause.
 */
final class LocalPauseDetector {
  /** The interval of heartbeats. */
  static final Duration HEARTBEAT_INTERVAL = Duration.ofMillis(100);

  /** A heartbeat this late indicates a pause. */
  private static final long LATE_NANOS = 3 * HEARTBEAT_INTERVAL.toNanos();

  private volatile boolean beating;
  private volatile long lastBeatNanos;
  private volatile boolean paused;
  private volatile long pauseEndNanos;

  void onHeartbeat(long now) {
    if (beating && now - lastBeatNanos > LATE_NANOS) {
      pauseEndNanos = now;
      paused = true;
    }
    lastBeatNanos = now;
    beating = true;
  }

  /**
   * Returns the end of the last pause, including one that no late heartbeat has shown yet; without
   * a pause, a time long ago.
   */
  long lastPauseEndNanos(long now) {
    if (beating && now - lastBeatNanos > LATE_NANOS) {
      return now;
    }
    return paused ? pauseEndNanos : now - Long.MAX_VALUE / 2;
  }

  /** Returns true if a pause ended in this interval or still lasts. */
  boolean hasPauseWithin(long from, long now) {
    return lastPauseEndNanos(now) - from >= 0;
  }
}
