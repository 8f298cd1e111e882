package dev.weir.bench.warmup;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A steady load of dashboard searches, from clients that each wait for their response, and that
 * learn from it which nodes were asked and how long each took. Safe on any thread.
 */
final class PacedSearches implements AutoCloseable {
  static final String INDEX = "returning";

  private static final Pattern CALL =
      Pattern.compile("\\{\"node\":\"([^\"]*)\",\"phase\":\"query\",[^}]*?\"took_ms\":([0-9.]+)");
  private static final List<String> BODIES =
      List.of(
          "{\"size\":0,\"query\":{\"range\":{\"n\":{\"gte\":%d}}},"
              + "\"aggs\":{\"a\":{\"terms\":{\"field\":\"user\",\"size\":20}}}}",
          "{\"size\":0,\"query\":{\"match\":{\"text\":\"word%d\"}},\"aggs\":{\"a\":{\"terms\":"
              + "{\"field\":\"city\"},\"aggs\":{\"m\":{\"avg\":{\"field\":\"n\"}}}}}}",
          "{\"size\":0,\"aggs\":{\"a\":{\"cardinality\":{\"field\":\"user\"}},"
              + "\"b\":{\"max\":{\"field\":\"n\"}}},\"track_total_hits\":%d}",
          "{\"size\":10,\"query\":{\"match\":{\"text\":\"all word%d\"}},"
              + "\"sort\":[\"_score\",\"n\"]}");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong number = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private final URI uri;
  private final Listener listener;
  private volatile boolean over;

  /** Hears of each search, on the threads of the clients. */
  interface Listener {
    void onSearch(long micros);

    void onCall(String nodeName, long micros);
  }

  private PacedSearches(URI uri, Listener listener) {
    this.uri = uri;
    this.listener = listener;
  }

  /** Starts the load: so many searches a second together, or fewer if their responses are late. */
  static PacedSearches start(
      InetSocketAddress gateway, int clients, double perSecond, Listener listener) {
    URI uri = URI.create("http://127.0.0.1:" + gateway.getPort() + "/" + INDEX + "/_search");
    PacedSearches load = new PacedSearches(uri, listener);
    long pauseNanos = (long) (clients * 1e9 / perSecond);
    for (int i = 0; i < clients; i++) {
      load.threads.add(Thread.ofPlatform().start(() -> load.search(pauseNanos)));
    }
    return load;
  }

  private void search(long pauseNanos) {
    long due = System.nanoTime();
    while (!over) {
      long wait = due - System.nanoTime();
      if (wait > 0) {
        LockSupport.parkNanos(wait);
        continue;
      }
      due = Math.max(due + pauseNanos, System.nanoTime());
      searchOnce();
    }
  }

  private void searchOnce() {
    long turn = number.getAndIncrement();
    String body = BODIES.get((int) (turn % BODIES.size())).formatted(1 + turn / 4 % 50);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .header("X-Weir-Explain", "true")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    long sent = System.nanoTime();
    try {
      HttpResponse<Void> response = http.send(request, HttpResponse.BodyHandlers.discarding());
      listener.onSearch((System.nanoTime() - sent) / 1000);
      if (response.statusCode() != 200) {
        errors.incrementAndGet();
      }
      Matcher calls = CALL.matcher(response.headers().firstValue("X-Weir-Explain").orElse(""));
      while (calls.find()) {
        listener.onCall(calls.group(1), (long) (Double.parseDouble(calls.group(2)) * 1000));
      }
    } catch (IOException failure) {
      errors.incrementAndGet();
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      over = true;
    }
  }

  /** Returns how many searches had no successful response. */
  long errors() {
    return errors.get();
  }

  /** Stops the load and waits for its last responses. */
  @Override
  public void close() {
    over = true;
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    http.close();
  }
}
