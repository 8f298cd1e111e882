package dev.weir.bench.dashboards;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.ProcessUsage;
import dev.weir.testkit.dashboards.DashboardAnswer;
import dev.weir.testkit.dashboards.DashboardRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Viewers who load every dashboard once, each in an order of its own and one request at a time.
 * Confined to one thread, which starts a thread for each viewer.
 */
final class DashboardViewers {
  private final List<DashboardRequest> requests;
  private final int viewers;

  /**
   * What the viewers of one endpoint saw.
   *
   * @param panels number of panels that were requested
   * @param failed panels without a result, each with its status
   * @param errors the first error of each request with a failed panel
   * @param latencies of requests whose panels all got a result, in microseconds
   * @param cpuNanos that the endpoint's process used
   */
  record Result(
      long panels, List<String> failed, List<String> errors, Histogram latencies, long cpuNanos) {
    Result {
      failed = List.copyOf(failed);
      errors = List.copyOf(errors);
    }

    /** Returns the CPU milliseconds of the endpoint's own process for a panel with a result. */
    double cpuMillisPerPanel() {
      return cpuNanos / 1e6 / Math.max(1, panels - failed.size());
    }

    /** Returns a percentile of the latency in milliseconds. */
    double millis(double percentile) {
      return latencies.getValueAtPercentile(percentile) / 1000.0;
    }

    Result plus(Result other) {
      Histogram both = new Histogram(3);
      both.add(latencies);
      both.add(other.latencies);
      return new Result(
          panels + other.panels,
          joined(failed, other.failed),
          joined(errors, other.errors),
          both,
          cpuNanos + other.cpuNanos);
    }

    private static List<String> joined(List<String> one, List<String> other) {
      return Stream.concat(one.stream(), other.stream()).toList();
    }
  }

  /** What the viewers of a round have seen so far. Safe on any thread. */
  private static final class Sightings {
    final Histogram latencies = new ConcurrentHistogram(3);
    final List<String> failed = Collections.synchronizedList(new ArrayList<>());
    final List<String> errors = Collections.synchronizedList(new ArrayList<>());

    void add(DashboardRequest request, DashboardAnswer answer, long micros) {
      List<String> panels = answer.failedPanels(request);
      if (panels.isEmpty()) {
        latencies.recordValue(micros);
      } else {
        failed.addAll(panels);
        errors.add(answer.firstError());
      }
    }

    /** Adds a request whose connection was lost before its answer. */
    void addLost(DashboardRequest request, IOException cause) {
      request.panels().forEach(panel -> failed.add(panel + ": no answer"));
      errors.add("no answer: " + cause.getMessage());
    }
  }

  DashboardViewers(List<DashboardRequest> requests, int viewers) {
    this.requests = List.copyOf(requests);
    this.viewers = viewers;
  }

  int viewers() {
    return viewers;
  }

  /**
   * Runs one round.
   *
   * @param seed of the viewers' orders: the same seed gives every endpoint the same orders
   * @return without CPU time if the endpoint's process has ended
   */
  Result runRound(MeasuredEndpoint endpoint, long seed) {
    Sightings seen = new Sightings();
    long before = ProcessUsage.read(endpoint.pid()).cpuNanos();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(viewers)) {
      for (int viewer = 0; viewer < viewers; viewer++) {
        List<DashboardRequest> order = new ArrayList<>(requests);
        Collections.shuffle(order, new Random(seed * viewers + viewer));
        running.add(CompletableFuture.runAsync(() -> view(endpoint, order, seen), threads));
      }
      running.forEach(CompletableFuture::join);
    }
    boolean lives = ProcessHandle.of(endpoint.pid()).map(ProcessHandle::isAlive).orElse(false);
    long cpu = lives ? ProcessUsage.read(endpoint.pid()).cpuNanos() - before : 0;
    long panels = requests.stream().mapToLong(request -> request.panels().size()).sum();
    return new Result(panels * viewers, seen.failed, seen.errors, seen.latencies, cpu);
  }

  private static void view(
      MeasuredEndpoint endpoint, List<DashboardRequest> order, Sightings seen) {
    BlockingHttpConnection connection = null;
    try {
      for (DashboardRequest request : order) {
        try {
          connection =
              connection == null
                  ? BlockingHttpConnection.withBodies(endpoint.address())
                  : connection;
          long sent = System.nanoTime();
          DashboardAnswer answer = send(connection, request);
          seen.add(request, answer, (System.nanoTime() - sent) / 1000);
        } catch (IOException lost) {
          seen.addLost(request, lost);
          close(connection);
          connection = null;
        }
      }
    } finally {
      close(connection);
    }
  }

  private static void close(@Nullable BlockingHttpConnection connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a viewer could not close its socket", e);
    }
  }

  /** Sends one request; returns its answer. */
  static DashboardAnswer send(BlockingHttpConnection connection, DashboardRequest request)
      throws IOException {
    int status = connection.exchange(bytes(request));
    return new DashboardAnswer(status, connection.body());
  }

  private static byte[] bytes(DashboardRequest request) {
    byte[] body = request.body().getBytes(StandardCharsets.UTF_8);
    byte[] head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(request.path(), request.contentType(), body.length)
            .getBytes(StandardCharsets.US_ASCII);
    byte[] whole = new byte[head.length + body.length];
    System.arraycopy(head, 0, whole, 0, head.length);
    System.arraycopy(body, 0, whole, head.length, body.length);
    return whole;
  }
}
