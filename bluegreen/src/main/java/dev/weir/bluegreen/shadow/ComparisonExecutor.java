package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares responses, one pair at a time, on a low-priority thread that exists while there is work.
 * Owns the copies of the pairs that it accepts, and releases them. Safe on any thread.
 */
final class ComparisonExecutor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ComparisonExecutor.class);
  private static final int MAX_WAITING = 128;
  private static final int IDLE_SECONDS = 10;

  private final CopyMemory copies;
  private final ShadowReport report;
  private final ComparisonListener listener;
  private final AtomicInteger waiting = new AtomicInteger();
  private final ThreadPoolExecutor executor;

  @SuppressWarnings("ThreadPriorityCheck") // a wish: nothing relies on it
  ComparisonExecutor(CopyMemory copies, ShadowReport report, ComparisonListener listener) {
    this.copies = copies;
    this.report = report;
    this.listener = listener;
    this.executor =
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
  private final class Task implements Runnable {
    private final ShadowComparison comparison;

    Task(ShadowComparison comparison) {
      this.comparison = comparison;
    }

    @Override
    public void run() {
      try {
        compare(comparison);
      } finally {
        end();
      }
    }

    /** Skips the comparison because the gateway stops. */
    void discard() {
      report.recordSkip(ShadowSkipReason.SHUTTING_DOWN);
      end();
    }

    private void end() {
      comparison.release(copies);
      waiting.decrementAndGet();
    }
  }

  /**
   * Queues a comparison.
   *
   * @return false if the queue is full or the executor stops; the caller then keeps the copies
   */
  boolean submit(ShadowComparison comparison) {
    waiting.incrementAndGet();
    try {
      executor.execute(new Task(comparison));
      return true;
    } catch (RejectedExecutionException full) {
      waiting.decrementAndGet();
      return false;
    }
  }

  private void compare(ShadowComparison comparison) {
    SelectedRead selected = comparison.selected();
    try {
      DifferenceCollector differences = comparison.findDifferences();
      report.compared(comparison.toComparedPair(), differences);
      switch (differences.toVerdict()) {
        case ComparisonVerdict.Same _, ComparisonVerdict.Similar _ ->
            listener.onCompared(selected.source().policy(), false);
        case ComparisonVerdict.Different _ -> listener.onCompared(selected.source().policy(), true);
        case ComparisonVerdict.NotComparable _ -> {
          // the status says nothing about the other cluster
        }
      }
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      RequestCopy request = comparison.request();
      LOG.error("can't compare the responses to {} {}", request.method(), request.uri(), e);
      report.incomparable(selected.kind(), Reason.INTERNAL_ERROR);
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
        task.discard();
      }
    }
  }
}
