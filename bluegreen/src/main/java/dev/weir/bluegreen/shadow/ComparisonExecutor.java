package dev.weir.bluegreen.shadow;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Compares responses, one pair at a time, on a low-priority thread that exists while there is work.
 * Safe on any thread.
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

  /** A comparison that either runs or is discarded. */
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

  /** Queues a comparison; returns false if the queue is full or the executor stops. */
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

  /** The number of queued and running comparisons. */
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
