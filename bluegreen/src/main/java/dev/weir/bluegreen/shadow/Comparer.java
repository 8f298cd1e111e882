package dev.weir.bluegreen.shadow;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares answers, one pair at a time, on a thread of low priority that is there while there is
 * something to compare. Safe on any thread.
 */
final class Comparer implements AutoCloseable {
  private static final int MOST_WAITING = 128;
  private static final int IDLE_SECONDS = 10;

  private final AtomicInteger waiting = new AtomicInteger();
  private final ThreadPoolExecutor thread;

  @SuppressWarnings("ThreadPriorityCheck") // a wish: nothing relies on it
  Comparer() {
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING),
            Thread.ofPlatform()
                .name("weir-shadow-", 0)
                .daemon()
                .priority(Thread.MIN_PRIORITY)
                .factory());
    thread.allowCoreThreadTimeOut(true);
  }

  /** A comparison, which is carried out or forgotten. */
  private record Task(ShadowRun pair, AtomicInteger waiting) implements Runnable {
    @Override
    public void run() {
      try {
        pair.run();
      } finally {
        waiting.decrementAndGet();
      }
    }
  }

  /** Compares later; false where enough wait, or it stops. */
  boolean take(ShadowRun run) {
    waiting.incrementAndGet();
    try {
      thread.execute(new Task(run, waiting));
      return true;
    } catch (RejectedExecutionException full) {
      waiting.decrementAndGet();
      return false;
    }
  }

  /** How many were taken and not compared. */
  int waiting() {
    return waiting.get();
  }

  @Override
  public void close() {
    for (Runnable left : thread.shutdownNow()) {
      if (left instanceof Task task) {
        task.pair().forget();
        waiting.decrementAndGet();
      }
    }
  }
}
