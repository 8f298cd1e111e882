package dev.weir.operate;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Waits for conditions that a call of the cluster or of a gateway shows. Most of them hold soon
 * after a change, so the first pauses are short; later there is one call a second.
 */
final class Poller {
  private static final long MAX_PAUSE_MILLIS = 1000;
  private static final long MIN_PAUSE_MILLIS = 200;

  private Poller() {}

  /** A condition that may become true. */
  interface Condition {
    boolean holds() throws OperationException, InterruptedException;
  }

  /** Returns whether a condition becomes true in time. It is evaluated once at least. */
  static boolean await(Duration timeout, Condition condition)
      throws OperationException, InterruptedException {
    return await(timeout, MIN_PAUSE_MILLIS, MAX_PAUSE_MILLIS, condition);
  }

  /** Waits as {@link #await(Duration, Condition)} does, with equal pauses: for larger calls. */
  static boolean await(Duration timeout, Duration pause, Condition condition)
      throws OperationException, InterruptedException {
    return await(timeout, pause.toMillis(), pause.toMillis(), condition);
  }

  /** The end of a time from now on, to compare with {@link System#nanoTime}. */
  static long endOf(Duration time) {
    return System.nanoTime() + TimeUnit.NANOSECONDS.convert(time); // a journal may have centuries
  }

  private static boolean await(
      Duration timeout, long firstPauseMillis, long maxPauseMillis, Condition condition)
      throws OperationException, InterruptedException {
    long end = endOf(timeout);
    long pause = firstPauseMillis;
    while (!condition.holds()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      Thread.sleep(pause);
      pause = Math.min(maxPauseMillis, 2 * pause);
    }
    return true;
  }
}
