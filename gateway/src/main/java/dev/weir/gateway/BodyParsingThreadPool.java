package dev.weir.gateway;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.observe.MetricRegistry;
import dev.weir.rest.BodyParsingExecutor;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Parses long request bodies, so that event loops never do. The body with the earliest virtual
 * deadline goes first: its arrival plus five times the expected time, so that short bodies do not
 * wait behind long ones, and long ones progress too. Safe on any thread.
 */
final class BodyParsingThreadPool implements BodyParsingExecutor, AutoCloseable {
  static final int MAX_WAITING = 1000;

  private static final Duration RETRY_PAUSE = Duration.ofMillis(25);

  /** Five times the 20 ns that OpenSearch's parser takes for a byte of a search. */
  private static final long NANOS_PER_BYTE = 100;

  private final ThreadPoolExecutor pool;
  private final DelayScheduler delays;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong arrivals = new AtomicLong();

  /** Creates one thread for each processor. */
  BodyParsingThreadPool(DelayScheduler delays) {
    int threads = Runtime.getRuntime().availableProcessors();
    this.delays = delays;
    this.pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            Thread.ofPlatform().name("weir-parse-", 0).daemon().factory());
  }

  /** One body that waits. */
  private record WaitingParse(long virtualDeadlineNanos, long arrival, Runnable task)
      implements Runnable, Comparable<WaitingParse> {
    @Override
    public int compareTo(WaitingParse other) {
      int order = Long.compare(virtualDeadlineNanos - other.virtualDeadlineNanos, 0);
      return order == 0 ? Long.compare(arrival, other.arrival) : order;
    }

    @Override
    public void run() {
      task.run();
    }
  }

  @Override
  public void execute(int bodyBytes, Runnable parse) {
    if (waiting.incrementAndGet() > MAX_WAITING) {
      waiting.decrementAndGet();
      throw new RejectedExecutionException(
          "got one more body to parse while " + MAX_WAITING + " wait (expected: fewer)");
    }
    pool.execute(
        new WaitingParse(
            System.nanoTime() + bodyBytes * NANOS_PER_BYTE,
            arrivals.incrementAndGet(),
            () -> {
              waiting.decrementAndGet();
              parse.run();
            }));
  }

  @Override
  public void executeLater(Executor eventLoop, Runnable attempt) {
    delays.schedule(RETRY_PAUSE, eventLoop, attempt);
  }

  /** Registers the metrics of the pool. */
  void bind(MetricRegistry registry) {
    registry
        .gauge(
            "weir_body_parses_queued", "Long request bodies that wait to be parsed", waiting::get)
        .gauge(
            "weir_body_parses_running",
            "Long request bodies that are parsed now",
            pool::getActiveCount);
  }

  @Override
  public void close() {
    pool.shutdownNow();
  }
}
