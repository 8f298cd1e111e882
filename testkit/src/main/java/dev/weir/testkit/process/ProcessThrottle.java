package dev.weir.testkit.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Slows a process down by stopping it for a part of every period, on a thread of its own.
 *
 * <p>Closing it resumes the process. If this JVM dies first, the {@link SignalSender} resumes it.
 */
public final class ProcessThrottle implements AutoCloseable {
  private final SignalSender signals;
  private final long periodNanos;
  private final long stoppedNanos;
  private final Thread thread;
  private volatile boolean ended;

  /**
   * Begins at once.
   *
   * @param signals the process
   * @param period the length of a cycle
   * @param stoppedShare which part of each cycle the process stands still, over 0 and below 1
   */
  public ProcessThrottle(SignalSender signals, Duration period, double stoppedShare) {
    if (!(stoppedShare > 0 && stoppedShare < 1)) {
      throw new IllegalArgumentException(
          "got a stopped share of " + stoppedShare + " (expected: over 0 and below 1)");
    }
    if (period.isNegative() || period.isZero()) {
      throw new IllegalArgumentException("got a period of " + period + " (expected: positive)");
    }
    this.signals = signals;
    this.periodNanos = period.toNanos();
    this.stoppedNanos = (long) (periodNanos * stoppedShare);
    this.thread = Thread.ofPlatform().daemon().name("duty-cycle").start(this::run);
  }

  private void run() {
    long begin = System.nanoTime();
    try {
      while (!ended) {
        signals.stop();
        sleepUntil(begin + stoppedNanos);
        signals.resume();
        begin += periodNanos;
        sleepUntil(begin);
        // After a pause of this JVM itself, go on from now rather than catch up.
        begin = Math.max(begin, System.nanoTime() - periodNanos);
      }
    } finally {
      signals.resume();
    }
  }

  private void sleepUntil(long nanos) {
    for (long left = nanos - System.nanoTime();
        left > 0 && !ended;
        left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Resumes the process and stops throttling it. */
  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
