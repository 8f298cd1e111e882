package dev.weir.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/** Sends a closed-loop load: each client has one connection and one request in flight. */
public final class ClosedLoopLoad {
  /**
   * The clients' measurements of one run.
   *
   * @param requests requests with a response
   * @param errors responses that were not a success, such as bulks that lost a document
   * @param nanos the length of the run
   * @param bodyBytes bytes of the responses' bodies
   * @param latencies in microseconds
   */
  public record Result(
      long requests, long errors, long nanos, long bodyBytes, Histogram latencies) {
    /** Returns a percentile of the latency in milliseconds. */
    public double millis(double percentile) {
      return latencies.getValueAtPercentile(percentile) / 1000.0;
    }
  }

  private static final int SHOWN_ERRORS = 3;

  private ClosedLoopLoad() {}

  /** Runs the load for a time against one address. */
  public static Result run(
      InetSocketAddress address, Workload workload, int clients, double seconds) {
    return run(List.of(address), workload, clients, seconds);
  }

  /** Runs the load for a time; clients are spread over the addresses. */
  public static Result run(
      List<InetSocketAddress> addresses, Workload workload, int clients, double seconds) {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    byte[] success = workload.success().getBytes(StandardCharsets.US_ASCII);
    AtomicLong number = new AtomicLong();
    LongAdder errors = new LongAdder();
    LongAdder bytes = new LongAdder();
    Histogram all = new Histogram(3);
    List<Thread> threads = new ArrayList<>();
    List<Throwable> broken = new ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < clients; i++) {
      InetSocketAddress address = addresses.get(i % addresses.size());
      threads.add(
          Thread.ofPlatform()
              .name("client-" + i)
              .start(() -> {
                Histogram mine = new Histogram(3);
                try {
                  while (System.nanoTime() < end) {
                    try (BlockingHttpConnection connection = new BlockingHttpConnection(address)) {
                      while (System.nanoTime() < end && !connection.shouldClose()) {
                        byte[] request = workload.request().apply(number.getAndIncrement());
                        long sent = System.nanoTime();
                        int status = connection.exchange(request);
                        mine.recordValue((System.nanoTime() - sent) / 1000);
                        bytes.add(connection.bodyBytes());
                        if (status >= 300 || !connection.hasEarly(success)) {
                          errors.increment();
                          if (errors.sum() <= SHOWN_ERRORS) {
                            System.out.println(
                                "an error: " + status + " " + connection.beginning());
                          }
                        }
                      }
                    }
                  }
                } catch (IOException | RuntimeException e) {
                  synchronized (broken) {
                    broken.add(e);
                  }
                }
                synchronized (all) {
                  all.add(mine);
                }
              }));
    }
    for (Thread thread : threads) {
      join(thread);
    }
    if (!broken.isEmpty()) {
      throw new IllegalStateException("a client broke off at " + addresses, broken.getFirst());
    }
    return new Result(
        all.getTotalCount(), errors.sum(), System.nanoTime() - begin, bytes.sum(), all);
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
