package dev.weir.operate;

import java.time.Duration;

/**
 * Waits for conditions that a call of the cluster or of a gateway shows. Most of them hold soon
 * after a change, so the first pauses are short; later there is one call a second.
 */
final class Poller {
  static final long MAX_PAUSE_MILLIS = 1000;
  private static final long MIN_PAUSE_MILLIS = 200;

  private Poller() {}

  /** A condition that may become true. */
  interface Condition {
    boolean holds() throws OperationException, InterruptedException;
  }

  /** Returns whether a condition becomes true in time. It is evaluated once at least. */
  static boolean await(Duration timeout, Condition condition)
      throws OperationException, InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    long pause = MIN_PAUSE_MILLIS;
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.sleep(pause);
      pause = Math.min(MAX_PAUSE_MILLIS, 2 * pause);
    }
    return true;
  }
}
