package dev.weir.bench.secured;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.Workload;
import dev.weir.testkit.RestAccess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.HdrHistogram.Histogram;

/**
 * Requests with credentials, in a closed loop or at a rate, and the CPU time of the process that
 * serves them.
 *
 * @param name what the table calls it
 * @param path with parameters
 * @param body from the number of the request
 */
record AuthenticatedLoad(String name, String path, LongFunction<String> body) {
  private static final long NANOS = 1_000_000_000;

  /**
   * What serves the requests.
   *
   * @param name what the table calls it
   * @param pid its process
   * @param access who the client is
   */
  record Server(String name, InetSocketAddress address, long pid, RestAccess access) {}

  /**
   * What one or more rounds took.
   *
   * @param failed requests with another status than 200, and bulks that lost a document
   * @param nanos the length of the rounds
   * @param latencies in microseconds
   */
  record Result(long requests, long failed, long cpuNanos, long nanos, Histogram latencies) {
    static Result none() {
      return new Result(0, 0, 0, 0, new Histogram(3));
    }

    Result plus(Result other) {
      Histogram both = latencies.copy();
      both.add(other.latencies);
      return new Result(
          requests + other.requests,
          failed + other.failed,
          cpuNanos + other.cpuNanos,
          nanos + other.nanos,
          both);
    }

    /** Returns microseconds of CPU time for each request. */
    double cpuMicros() {
      return cpuNanos / 1e3 / requests;
    }

    double requestsPerSecond() {
      return requests * 1e9 / nanos;
    }

    /** Returns a percentile of the latency in milliseconds. */
    double millis(double percentile) {
      return latencies.getValueAtPercentile(percentile) / 1000.0;
    }
  }

  /** Runs a closed loop. Blocks for the time given. */
  Result run(Server server, int clients, double seconds) {
    return run(server, clients, seconds, 0);
  }

  /**
   * Sends requests at a rate; a late one is sent at once. Blocks for the time given.
   *
   * @param perSecond requests of all clients together
   */
  Result runAtRate(Server server, int clients, double seconds, double perSecond) {
    return run(server, clients, seconds, (long) (clients * NANOS / perSecond));
  }

  private Result run(Server server, int clients, double seconds, long intervalNanos) {
    AtomicLong number = new AtomicLong();
    try (ExecutorService threads = Executors.newFixedThreadPool(clients)) {
      long cpu = ProcessUsage.read(server.pid()).cpuNanos();
      long began = System.nanoTime();
      long end = began + (long) (seconds * NANOS);
      List<CompletableFuture<Result>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Pace pace = new Pace(began + i * intervalNanos / clients, intervalNanos);
        running.add(
            CompletableFuture.supplyAsync(() -> runClient(server, number, pace, end), threads));
      }
      Result all =
          running.stream().map(CompletableFuture::join).reduce(Result.none(), Result::plus);
      long used = ProcessUsage.read(server.pid()).cpuNanos() - cpu;
      return new Result(
          all.requests(), all.failed(), used, System.nanoTime() - began, all.latencies());
    }
  }

  /** When a client sends its requests: at an interval, or without a pause if that is 0. */
  private static final class Pace {
    private final long intervalNanos;
    private long nextNanos;

    Pace(long firstNanos, long intervalNanos) {
      this.nextNanos = firstNanos;
      this.intervalNanos = intervalNanos;
    }

    void awaitNext() {
      if (intervalNanos > 0) {
        for (long left = nextNanos - System.nanoTime(); left > 0; ) {
          LockSupport.parkNanos(left);
          left = nextNanos - System.nanoTime();
        }
        nextNanos += intervalNanos;
      }
    }
  }

  private Result runClient(Server server, AtomicLong number, Pace pace, long end) {
    Histogram latencies = new Histogram(3);
    byte[] success = Workload.successOf(path).getBytes(StandardCharsets.US_ASCII);
    long failed = 0;
    while (System.nanoTime() - end < 0) {
      try (BlockingHttpConnection connection =
          BlockingHttpConnection.secured(server.address(), server.access().tls())) {
        while (System.nanoTime() - end < 0 && !connection.shouldClose()) {
          byte[] request =
              Workload.post(path, body.apply(number.incrementAndGet()), server.access().headers());
          pace.awaitNext();
          long sent = System.nanoTime();
          int status = connection.exchange(request);
          latencies.recordValue((System.nanoTime() - sent) / 1000);
          boolean succeeded = status == 200 && connection.hasEarly(success);
          if (!succeeded && failed++ == 0) {
            System.out.println("an error: " + status + " " + connection.beginning());
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException("a client broke off at " + server.name(), e);
      }
    }
    return new Result(latencies.getTotalCount(), failed, 0, 0, latencies);
  }
}
