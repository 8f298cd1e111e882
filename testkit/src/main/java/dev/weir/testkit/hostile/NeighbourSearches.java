package dev.weir.testkit.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
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
import java.util.concurrent.atomic.DoubleAccumulator;
import org.jspecify.annotations.Nullable;

/**
 * A client of good will that searches every 50 ms, whether or not earlier searches have been
 * answered. Closing it waits for the last response.
 */
public final class NeighbourSearches implements AutoCloseable {
  private static final long PERIOD_MILLIS = 50;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final int NO_ANSWER = 0;
  private static final int SUCCESS = 200;
  private static final int EXCERPT = 700;

  private final HttpClient client = newClient();
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final HttpRequest request;
  private final List<CompletableFuture<Void>> sent =
      Collections.synchronizedList(new ArrayList<>());
  private final List<Double> millis = Collections.synchronizedList(new ArrayList<>());
  private final Map<Integer, Integer> statuses = Collections.synchronizedMap(new TreeMap<>());
  private volatile String failure = "";
  private final DoubleAccumulator longestMillis = new DoubleAccumulator(Math::max, 0);

  /**
   * How the searches went.
   *
   * @param statuses the counts by status, with 0 for searches without an answer
   * @param sortedMillis the response times, the shortest first
   * @param failure the beginning of the first failed response; empty for none
   */
  public record Figures(Map<Integer, Integer> statuses, List<Double> sortedMillis, String failure) {
    /** Returns a percentile of the response times in milliseconds; 100 is the longest. */
    public double millis(double percentile) {
      int count = sortedMillis.size();
      return count == 0
          ? Double.NaN
          : sortedMillis.get((int) Math.min(count - 1L, (long) (count * percentile / 100)));
    }

    /** Returns the number of searches without a result. */
    public int failed() {
      return statuses.entrySet().stream()
          .filter(entry -> entry.getKey() != SUCCESS)
          .mapToInt(Map.Entry::getValue)
          .sum();
    }
  }

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

  private static HttpClient newClient() {
    HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
    InetAddress own = ownAddress();
    return (own == null ? builder : builder.localAddress(own)).build();
  }

  /**
   * Returns an address that no hostile client has, as a neighbour has one; null on a machine whose
   * loopback interface has a single address.
   */
  private static @Nullable InetAddress ownAddress() {
    InetAddress own = InetAddress.ofLiteral("127.0.0.2");
    try (ServerSocket _ = new ServerSocket(0, 1, own)) {
      return own;
    } catch (IOException e) {
      return null;
    }
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
            .sendAsync(request, BodyHandlers.ofString())
            .handle((response, error) -> {
              double took = (System.nanoTime() - began) / 1e6;
              millis.add(took);
              longestMillis.accumulate(took);
              int status = error == null ? response.statusCode() : NO_ANSWER;
              statuses.merge(status, 1, Integer::sum);
              if (status != SUCCESS && failure.isEmpty()) {
                failure = excerpt(error == null ? response.body() : error.toString());
              }
              return null;
            }));
  }

  private static String excerpt(String text) {
    return text.substring(0, Math.min(EXCERPT, text.length()));
  }

  /** Ends the searches after the last response. */
  public Figures stop() {
    clock.shutdown();
    try {
      clock.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
    List.copyOf(sent).forEach(CompletableFuture::join);
    return new Figures(Map.copyOf(statuses), millis.stream().sorted().toList(), failure);
  }

  /** Returns the longest response time in milliseconds since the last call; 0 for none. */
  public double takeLongestMillis() {
    return longestMillis.getThenReset();
  }

  @Override
  public void close() {
    clock.shutdownNow();
    client.shutdownNow();
    client.close();
  }
}
