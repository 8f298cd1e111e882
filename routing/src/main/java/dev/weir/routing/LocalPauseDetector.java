package dev.weir.routing;

import java.time.Duration;

/**
 * Pauses of this process, seen by a heartbeat that came late. After one, answers lie unread in
 * sockets and timers have run out: nodes look silent that are not. Safe on any thread, one of which
 * beats. Without any beat no pause is seen.
 */
final class LocalPauseDetector {
  /** How often to beat. */
  static final Duration HEARTBEAT_INTERVAL = Duration.ofMillis(100);

  /** A beat this late was held up. */
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

  /** The end of the last pause, also of one that no late heartbeat has shown yet; else long ago. */
  long lastPauseEndNanos(long now) {
    if (beating && now - lastBeatNanos > LATE_NANOS) {
      return now;
    }
    return paused ? pauseEndNanos : now - Long.MAX_VALUE / 2;
  }

  /** Whether a pause ended, or lasts, within this time. */
  boolean hasPauseWithin(long from, long now) {
    return lastPauseEndNanos(now) - from >= 0;
  }
}
