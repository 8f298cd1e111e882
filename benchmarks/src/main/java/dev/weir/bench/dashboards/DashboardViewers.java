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
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

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
   * @param latencies of requests in microseconds
   * @param cpuNanos that the endpoint's process used
   */
  record Result(long panels, List<String> failed, Histogram latencies, long cpuNanos) {
    Result {
      failed = List.copyOf(failed);
    }

    /** Returns the CPU milliseconds of the endpoint's own process for a panel. */
    double cpuMillisPerPanel() {
      return cpuNanos / 1e6 / panels;
    }

    /** Returns a percentile of the latency in milliseconds. */
    double millis(double percentile) {
      return latencies.getValueAtPercentile(percentile) / 1000.0;
    }

    Result plus(Result other) {
      Histogram both = new Histogram(3);
      both.add(latencies);
      both.add(other.latencies);
      List<String> allFailed = new ArrayList<>(failed);
      allFailed.addAll(other.failed);
      return new Result(panels + other.panels, allFailed, both, cpuNanos + other.cpuNanos);
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
   */
  Result runRound(MeasuredEndpoint endpoint, long seed) {
    Histogram latencies = new ConcurrentHistogram(3);
    List<String> failed = Collections.synchronizedList(new ArrayList<>());
    long before = ProcessUsage.read(endpoint.pid()).cpuNanos();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(viewers)) {
      for (int viewer = 0; viewer < viewers; viewer++) {
        List<DashboardRequest> order = new ArrayList<>(requests);
        Collections.shuffle(order, new Random(seed * viewers + viewer));
        running.add(
            CompletableFuture.runAsync(() -> view(endpoint, order, latencies, failed), threads));
      }
      running.forEach(CompletableFuture::join);
    }
    long cpu = ProcessUsage.read(endpoint.pid()).cpuNanos() - before;
    long panels = requests.stream().mapToLong(request -> request.panels().size()).sum();
    return new Result(panels * viewers, failed, latencies, cpu);
  }

  private static void view(
      MeasuredEndpoint endpoint,
      List<DashboardRequest> order,
      Histogram latencies,
      List<String> failed) {
    try (BlockingHttpConnection connection =
        BlockingHttpConnection.withBodies(endpoint.address())) {
      for (DashboardRequest request : order) {
        byte[] bytes = bytes(request);
        long sent = System.nanoTime();
        int status = connection.exchange(bytes);
        latencies.recordValue((System.nanoTime() - sent) / 1000);
        failed.addAll(new DashboardAnswer(status, connection.body()).failedPanels(request));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("a viewer lost its connection to " + endpoint.name(), e);
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
