package dev.weir.gateway.advice;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.weir.config.policy.TlsClientPolicy;
import dev.weir.gateway.stats.StatsReporters;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdvicePageTest {
  private static final TlsClientPolicy PLAIN = new TlsClientPolicy(false, "", "", "", "", "", true);

  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicLong nanos = new AtomicLong();
  private HttpServer node;

  private record FixedSections(Map<String, Object> sections) implements StatsReporter {
    @Override
    public void bind(MetricRegistry metrics) {}
  }

  @BeforeEach
  void start() throws IOException {
    node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    node.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          reads.addAndGet(path.equals("/_cluster/settings") ? 1 : 0);
          String body =
              path.startsWith("/_cat/")
                  ? "[]"
                  : path.equals("/_cluster/settings")
                      ? "{\"transient\":{\"cluster.routing.allocation.enable\":\"none\"}}"
                      : "{}";
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    node.start();
  }

  @AfterEach
  void stop() {
    node.stop(0);
  }

  private AdvicePage page(List<InetSocketAddress> addresses) {
    return page(addresses, nanos::get, Duration.ofMinutes(1));
  }

  private static AdvicePage page(
      List<InetSocketAddress> addresses, LongSupplier nanoClock, Duration maxDuration) {
    Map<String, Object> slow =
        Map.of("nodes", List.of(Map.of("name", "n1", "health", "slow", "health_reason", "9 ms")));
    return new AdvicePage(
        Map.of("main", new AdvisedClusterAccess(() -> addresses, PLAIN, "-H 'X: main'")),
        new AdviceCredentials("", ""),
        new StatsReporters(List.of(new FixedSections(slow)), Map.of("main", List.of()), List.of()),
        () -> "http://localhost:9200",
        nanoClock,
        maxDuration);
  }

  @Test
  void showWhatNodesAndTheGatewayTell() {
    AdminResponse shown = page(List.of(node.getAddress())).show(Map.of());
    assertThat(shown.status()).isEqualTo(200);
    assertThat(shown.body())
        .contains("none, with 0 copies unassigned")
        .contains(
            "curl -g -sS --fail-with-body -X PUT -H 'X: main'"
                + " 'http://localhost:9200/_cluster/settings'")
        .contains("slow: 9 ms")
        .contains("\"hot-tenant\": \"GET /config: the gateway has no page /config\"");
  }

  @Test
  void readAgainOnlyAfterFiveSeconds() {
    AdvicePage page = page(List.of(node.getAddress()));
    page.show(Map.of());
    nanos.addAndGet(Duration.ofSeconds(5).toNanos());
    page.show(Map.of("cluster", "main"));
    assertThat(reads).hasValue(1);
    nanos.addAndGet(1);
    page.show(Map.of());
    assertThat(reads).hasValue(2);
  }

  @Test
  void readOnceForSeveralAtATime() throws InterruptedException {
    AdvicePage page = page(List.of(node.getAddress()));
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      readers.add(Thread.startVirtualThread(() -> page.show(Map.of())));
    }
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(reads).hasValue(1);
  }

  @Test
  void tryTheNextNode() throws IOException {
    HttpServer closed =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    closed.start();
    closed.stop(0);
    List<InetSocketAddress> both = List.of(closed.getAddress(), node.getAddress());
    assertThat(page(both).show(Map.of()).status()).isEqualTo(200);
    AdminResponse none = page(List.of(closed.getAddress())).show(Map.of());
    assertThat(none.status()).isEqualTo(503);
    assertThat(none.body()).contains("can't read the cluster", "no answer from");
  }

  @Test
  void answerInTimeThoughTheNodeDoesNot() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address =
          new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort());
      AdminResponse late =
          page(List.of(address), System::nanoTime, Duration.ofMillis(100)).show(Map.of());
      assertThat(late.status()).isEqualTo(503);
      assertThat(late.body())
          .contains("cluster main was not read within", "ask again, or run weir advise");
    }
  }

  @Test
  void rejectUnknownClusters() {
    assertThat(page(List.of()).show(Map.of("cluster", "other")).status()).isEqualTo(400);
    assertThat(page(List.of()).show(Map.of()).body()).contains("no node of cluster main is known");
  }

  @Test
  void keepThePasswordOutOfTexts() {
    AdviceCredentials credentials =
        AdviceCredentials.of(
            Map.of("WEIR_ADVISE_USER", "reader", "WEIR_ADVISE_PASSWORD", "secret"));
    assertThat(credentials.toString() + credentials.curlOption()).doesNotContain("secret");
    assertThat(credentials.headers()).containsEntry("Authorization", "Basic cmVhZGVyOnNlY3JldA==");
  }
}
