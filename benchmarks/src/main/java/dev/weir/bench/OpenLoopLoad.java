package dev.weir.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Sends an open-loop load: requests arrive at a rate, as a Poisson process, regardless of responses
 * to earlier ones. The latency of a request counts from its due time.
 */
public final class OpenLoopLoad {
  /** The limit of requests in flight; a request beyond it counts as failed. */
  private static final int MAX_IN_FLIGHT = 4000;

  private static final int TOO_MANY_REQUESTS = 429;
  private static final int UNAVAILABLE = 503;
  private static final int SUCCESSES_BELOW = 300;

  /**
   * The clients' measurements of one run.
   *
   * @param offered requests that were due
   * @param onTime successes within the deadline
   * @param pastDeadline successes after the deadline
   * @param refused responses with status 429 or 503
   * @param failed other errors, and lost connections
   * @param nanos the measured time
   * @param successes latencies of the successes in microseconds
   * @param refusals latencies of the rejections in microseconds
   */
  public record Result(
      long offered,
      long onTime,
      long pastDeadline,
      long refused,
      long failed,
      long nanos,
      Histogram successes,
      Histogram refusals) {
    /** Returns the successes per second within the deadline. */
    public double goodput() {
      return onTime * 1e9 / nanos;
    }

    /** Returns a percentile of the successes' latency in milliseconds; NaN without a success. */
    public double millis(double percentile) {
      return successes.getTotalCount() == 0
          ? Double.NaN
          : successes.getValueAtPercentile(percentile) / 1000.0;
    }
  }

  private final List<InetSocketAddress> addresses;
  private final AtomicInteger turn = new AtomicInteger();
  private final Workload workload;
  private final long deadlineNanos;
  private final Deque<BlockingHttpConnection> idle = new ArrayDeque<>();
  private final Semaphore inFlightPermits = new Semaphore(MAX_IN_FLIGHT);
  private final LongAdder inTime = new LongAdder();
  private final LongAdder late = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final Histogram successes = new ConcurrentHistogram(3);
  private final Histogram refusals = new ConcurrentHistogram(3);

  private OpenLoopLoad(
      List<InetSocketAddress> addresses, Workload workload, double deadlineSeconds) {
    this.addresses = addresses;
    this.workload = workload;
    this.deadlineNanos = (long) (deadlineSeconds * 1e9);
  }

  /**
   * When requests are sent, and which of them count.
   *
   * @param requestsPerSecond the arrival rate
   * @param warmUpSeconds time at the same rate before the measurement, without a pause between
   * @param seconds the measured time
   */
  public record LoadSchedule(double requestsPerSecond, double warmUpSeconds, double seconds) {}

  /**
   * Sends the load, then waits for the requests in flight.
   *
   * @param addresses new connections go to each in turn
   * @param deadlineSeconds a later success does not count as on time
   */
  public static Result run(
      List<InetSocketAddress> addresses,
      Workload workload,
      LoadSchedule pace,
      double deadlineSeconds) {
    return new OpenLoopLoad(addresses, workload, deadlineSeconds).run(pace);
  }

  private Result run(LoadSchedule pace) {
    Random random = new Random(1);
    AtomicLong number = new AtomicLong();
    long start = System.nanoTime();
    long begin = start + (long) (pace.warmUpSeconds() * 1e9);
    long end = begin + (long) (pace.seconds() * 1e9);
    long offered = 0;
    long due = start;
    while (due < end) {
      long wait = due - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        continue;
      }
      boolean counts = due >= begin;
      offered += counts ? 1 : 0;
      long at = due;
      if (inFlightPermits.tryAcquire()) {
        Thread.ofVirtual().start(() -> sendOne(number.getAndIncrement(), at, counts));
      } else if (counts) {
        failed.increment();
      }
      due += (long) (-Math.log(1 - random.nextDouble()) / pace.requestsPerSecond() * 1e9);
    }
    inFlightPermits.acquireUninterruptibly(MAX_IN_FLIGHT);
    closeAll();
    return new Result(
        offered,
        inTime.sum(),
        late.sum(),
        refused.sum(),
        failed.sum(),
        end - begin,
        successes,
        refusals);
  }

  private void sendOne(long number, long due, boolean counts) {
    try {
      BlockingHttpConnection connection = acquire();
      int status = connection.exchange(workload.request().apply(number));
      long took = System.nanoTime() - due;
      if (connection.shouldClose()) {
        connection.close();
      } else {
        release(connection);
      }
      if (counts) {
        count(status, took);
      }
    } catch (IOException | RuntimeException e) {
      if (counts) {
        failed.increment();
      }
    } finally {
      inFlightPermits.release();
    }
  }

  private void count(int status, long nanos) {
    if (status < SUCCESSES_BELOW) {
      successes.recordValue(nanos / 1000);
      (nanos <= deadlineNanos ? inTime : late).increment();
    } else if (status == TOO_MANY_REQUESTS || status == UNAVAILABLE) {
      refusals.recordValue(nanos / 1000);
      refused.increment();
    } else {
      failed.increment();
    }
  }

  private BlockingHttpConnection acquire() throws IOException {
    BlockingHttpConnection connection;
    synchronized (idle) {
      connection = idle.pollLast();
    }
    if (connection != null) {
      return connection;
    }
    int next = Math.floorMod(turn.getAndIncrement(), addresses.size());
    return new BlockingHttpConnection(addresses.get(next));
  }

  private void release(BlockingHttpConnection connection) {
    synchronized (idle) {
      idle.addLast(connection);
    }
  }

  private void closeAll() {
    synchronized (idle) {
      for (BlockingHttpConnection connection : idle) {
        try {
          connection.close();
        } catch (IOException e) {
          failed.increment();
        }
      }
      idle.clear();
    }
  }
}
