package dev.weir.gateway;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.observe.MetricRegistry;
import dev.weir.rest.LongRequestPool;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs long requests, so that event loops never do. A request gives its thread to another one after
 * each task. The one with the earliest virtual deadline goes next: its arrival plus five times the
 * time that it has used, or that its body is expected to take. So requests that need little do not
 * wait behind others that need much, and those progress too. Safe on any thread.
 */
final class LongRequestThreadPool implements LongRequestPool, AutoCloseable {
  static final int MAX_OPEN = 1000;

  /** The time that OpenSearch's parser takes for a byte of a search. */
  private static final long NANOS_PER_BYTE = 20;

  private static final int DELAY_FACTOR = 5;
  private static final long CLOSE_SECONDS = 2;
  private static final int MIN_PASS_THROUGHS = 2;

  private final ThreadPoolExecutor pool;
  private final DelayScheduler delays;
  private final PassThroughTurns turns;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicLong arrivals = new AtomicLong();

  /** Creates one thread for each processor. */
  LongRequestThreadPool(DelayScheduler delays) {
    this(delays, Runtime.getRuntime().availableProcessors());
  }

  LongRequestThreadPool(DelayScheduler delays, int threads) {
    this.delays = delays;
    this.turns = new PassThroughTurns(Math.max(MIN_PASS_THROUGHS, threads / 2), delays);
    this.pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            Thread.ofPlatform().name("weir-long-", 0).daemon().factory());
  }

  /**
   * The tasks of one request. While it waits for a thread, it is in the pool's queue once, and its
   * virtual deadline does not change.
   */
  private final class OpenRequest implements RequestExecutor, Runnable, Comparable<OpenRequest> {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final long arrival = arrivals.incrementAndGet();
    private final long arrivalNanos = System.nanoTime();
    private final long expectedNanos;
    private long usedNanos;
    private long virtualDeadlineNanos;
    private boolean isScheduled;
    private boolean isClosed;

    OpenRequest(int bodyBytes) {
      this.expectedNanos = bodyBytes * NANOS_PER_BYTE;
    }

    @Override
    public void execute(Runnable task) {
      synchronized (tasks) {
        tasks.add(task);
        if (isScheduled) {
          return;
        }
        isScheduled = true;
      }
      schedule();
    }

    private void schedule() {
      virtualDeadlineNanos = arrivalNanos + DELAY_FACTOR * Math.max(expectedNanos, usedNanos);
      pool.execute(this);
    }

    /** Runs one task. */
    @Override
    public void run() {
      Runnable task;
      synchronized (tasks) {
        task = Objects.requireNonNull(tasks.poll());
      }
      long startNanos = System.nanoTime();
      try {
        task.run();
      } finally {
        usedNanos += System.nanoTime() - startNanos;
        scheduleNext();
      }
    }

    private void scheduleNext() {
      synchronized (tasks) {
        if (tasks.isEmpty()) {
          isScheduled = false;
          return;
        }
      }
      schedule();
    }

    @Override
    public int compareTo(OpenRequest other) {
      int order = Long.compare(virtualDeadlineNanos - other.virtualDeadlineNanos, 0);
      return order == 0 ? Long.compare(arrival, other.arrival) : order;
    }

    @Override
    public void close() {
      synchronized (tasks) {
        if (isClosed) {
          return;
        }
        isClosed = true;
      }
      open.decrementAndGet();
    }
  }

  @Override
  public RequestExecutor open(int bodyBytes) {
    if (open.incrementAndGet() > MAX_OPEN) {
      open.decrementAndGet();
      throw new RejectedExecutionException(
          "got one more long request while " + MAX_OPEN + " run (expected: fewer)");
    }
    return new OpenRequest(bodyBytes);
  }

  @Override
  public Runnable schedule(Duration delay, Executor executor, Runnable action) {
    return delays.scheduleCancellable(delay, executor, action);
  }

  @Override
  public void awaitPassThrough(long number, String client, Runnable pass, Runnable reject) {
    turns.await(number, client, pass, reject);
  }

  @Override
  public void leavePassThrough(long number) {
    turns.leave(number);
  }

  /** Returns the turns of costly requests that pass through; they must hear of completed ones. */
  PassThroughTurns turns() {
    return turns;
  }

  /** Registers the metrics of the pool. */
  void bind(MetricRegistry registry) {
    turns.bind(registry);
    registry
        .gauge("weir_long_requests_open", "Long requests in flight", open::get)
        .gauge(
            "weir_long_requests_queued",
            "Long requests that wait for a thread",
            () -> pool.getQueue().size())
        .gauge("weir_long_requests_running", "Long requests that run now", pool::getActiveCount);
  }

  /** Runs what is queued, for two seconds at most. */
  @Override
  public void close() {
    pool.shutdown();
    try {
      if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        pool.shutdownNow();
      }
    } catch (InterruptedException e) {
      pool.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
