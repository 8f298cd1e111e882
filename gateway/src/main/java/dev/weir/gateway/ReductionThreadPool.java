package dev.weir.gateway;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.SearchMetrics;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs large reductions, and times the phases of searches. Safe on any thread. */
final class ReductionThreadPool implements AutoCloseable {
  private static final int MAX_WAITING = 1000;

  private final ThreadPoolExecutor pool;
  private final SearchMetrics metrics;

  /** Creates one thread for each processor; a full queue rejects. */
  ReductionThreadPool(SearchMetrics metrics) {
    int threads = Runtime.getRuntime().availableProcessors();
    this.metrics = metrics;
    this.pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            Thread.ofPlatform().name("weir-reduce-", 0).daemon().factory());
  }

  /** Executes and times reductions. */
  Executor executor() {
    return metrics.timeTasks(pool);
  }

  SearchMetrics metrics() {
    return metrics;
  }

  /** Registers the metrics of the pool. */
  void bind(MetricRegistry registry) {
    registry
        .gauge(
            "weir_reductions_queued",
            "Large reductions that wait for a thread",
            () -> pool.getQueue().size())
        .gauge("weir_reductions_running", "Large reductions that run", pool::getActiveCount);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
