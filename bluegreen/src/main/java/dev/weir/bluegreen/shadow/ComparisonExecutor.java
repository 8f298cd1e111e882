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
final class ComparisonExecutor implements AutoCloseable {
  private static final int MAX_WAITING = 128;
  private static final int IDLE_SECONDS = 10;

  private final AtomicInteger waiting = new AtomicInteger();
  private final ThreadPoolExecutor executor;

  @SuppressWarnings("ThreadPriorityCheck") // a wish: nothing relies on it
  ComparisonExecutor() {
    executor =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            Thread.ofPlatform()
                .name("weir-shadow-", 0)
                .daemon()
                .priority(Thread.MIN_PRIORITY)
                .factory());
    executor.allowCoreThreadTimeOut(true);
  }

  /** A comparison, which is carried out or forgotten. */
  private record Task(ShadowReadTask read, AtomicInteger waiting) implements Runnable {
    @Override
    public void run() {
      try {
        read.run();
      } finally {
        waiting.decrementAndGet();
      }
    }
  }

  /** Compares later; false where enough wait, or it stops. */
  boolean submit(ShadowReadTask run) {
    waiting.incrementAndGet();
    try {
      executor.execute(new Task(run, waiting));
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
    for (Runnable left : executor.shutdownNow()) {
      if (left instanceof Task task) {
        task.read().discard();
        waiting.decrementAndGet();
      }
    }
  }
}
