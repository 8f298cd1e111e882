package dev.weir.testkit.hostile;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A client of good will that searches every 50 ms, whether or not earlier searches have been
 * answered. Closing it waits for the last response.
 */
public final class NeighbourSearches implements AutoCloseable {
  private static final long PERIOD_MILLIS = 50;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int NO_ANSWER = 0;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final HttpRequest request;
  private final List<CompletableFuture<Void>> sent =
      Collections.synchronizedList(new ArrayList<>());
  private final List<Double> millis = Collections.synchronizedList(new ArrayList<>());
  private final Map<Integer, Integer> statuses = Collections.synchronizedMap(new TreeMap<>());

  private NeighbourSearches(InetSocketAddress address) {
    this.request =
        HttpRequest.newBuilder(
                URI.create(
                    "http://127.0.0.1:"
                        + address.getPort()
                        + "/"
                        + HostileRequest.INDEX
                        + "/_search?q=n:1"))
            .timeout(TIMEOUT)
            .build();
  }

  /** Starts to search the index of the hostile requests. */
  public static NeighbourSearches start(InetSocketAddress address) {
    NeighbourSearches searches = new NeighbourSearches(address);
    searches.clock.scheduleAtFixedRate(searches::search, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    return searches;
  }

  private void search() {
    long began = System.nanoTime();
    sent.add(
        client
            .sendAsync(request, BodyHandlers.discarding())
            .handle((response, error) -> {
              millis.add((System.nanoTime() - began) / 1e6);
              statuses.merge(error == null ? response.statusCode() : NO_ANSWER, 1, Integer::sum);
              return null;
            }));
  }

  /** Ends the searches; returns the counts by status, with 0 for those without an answer. */
  public Map<Integer, Integer> stop() {
    clock.shutdown();
    try {
      clock.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    List.copyOf(sent).forEach(CompletableFuture::join);
    return Map.copyOf(statuses);
  }

  /** Returns a percentile of the response times in milliseconds; 100 is the longest. */
  public double millis(double percentile) {
    List<Double> sorted = new ArrayList<>(millis);
    Collections.sort(sorted);
    return sorted.isEmpty()
        ? Double.NaN
        : sorted.get((int) Math.min(sorted.size() - 1L, (long) (sorted.size() * percentile / 100)));
  }

  @Override
  public void close() {
    clock.shutdownNow();
    client.shutdownNow();
    client.close();
  }
}
