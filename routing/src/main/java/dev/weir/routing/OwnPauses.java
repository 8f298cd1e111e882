package dev.weir.routing;

import java.time.Duration;

/**
 * Pauses of this process, seen by a heartbeat that came late. After one, answers lie unread in
 * sockets and timers have run out: nodes look silent that are not. Safe on any thread, one of which
 * beats. Without any beat no pause is seen.
 */
final class OwnPauses {
  /** How often to beat. */
  static final Duration BEAT = Duration.ofMillis(100);

  /** A beat this late was held up. */
  private static final long LATE_NANOS = 3 * BEAT.toNanos();

  private volatile boolean beating;
  private volatile long lastBeatNanos;
  private volatile boolean paused;
  private volatile long awakeNanos;

  void beat(long now) {
    if (beating && now - lastBeatNanos > LATE_NANOS) {
      awakeNanos = now;
      paused = true;
    }
    lastBeatNanos = now;
    beating = true;
  }

  /** The end of the last pause, also of one whose late beat is yet to come; else long ago. */
  long awakeSinceNanos(long now) {
    if (beating && now - lastBeatNanos > LATE_NANOS) {
      return now;
    }
    return paused ? awakeNanos : now - Long.MAX_VALUE / 2;
  }

  /** Whether a pause ended, or lasts, within this time. */
  boolean within(long from, long now) {
    return awakeSinceNanos(now) - from >= 0;
  }
}
