package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.stats.InFlightWork;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway without a reachable cluster. */
final class GatewayTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();

  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    client.close();
  }

  private static GatewayPolicy policy(String clusterSetting) {
    return parse("clusters: {main: {seeds: [\"127.0.0.1:1\"], " + clusterSetting + "}}");
  }

  private static GatewayPolicy policy(int httpPort, int adminPort) {
    String text =
        """
        clusters: {main: {seeds: ["127.0.0.1:1"], authorization: none}}
        http: {listen: "127.0.0.1:%d", event-loops: 2}
        admin: {listen: "127.0.0.1:%d"}
        """
            .formatted(httpPort, adminPort);
    return parse(text);
  }

  private static GatewayPolicy parse(String text) {
    return TestPolicies.parse(text);
  }

  private static Gateway start() throws IOException {
    return Gateway.start(policy(0, 0), REGISTRIES);
  }

  private HttpResponse<String> send(InetSocketAddress to, String method, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + to.getPort() + path);
    return client.send(
        HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void reportLiveButNotReadyWithReasons() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress admin = gateway.adminAddress();
      assertThat(send(admin, "GET", "/livez").statusCode()).isEqualTo(200);
      HttpResponse<String> ready = send(admin, "GET", "/readyz");
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).contains("not heard from the cluster yet").contains("127.0.0.1:1");
      assertThat(gateway.awaitReady(Duration.ZERO)).isFalse();
    }
  }

  @Test
  void describeTheParametersOfExplain() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress admin = gateway.adminAddress();
      for (String method : new String[] {"GET", "POST"}) {
        HttpResponse<String> unknown = send(admin, method, "/routing/explain?request=abc");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body())
            .contains("resource_not_found_exception", "got [abc]", "X-Opaque-Id")
            .contains("X-Weir-Explain", "newest 1000", "\"status\" : 404");
      }
      HttpResponse<String> unclear = send(admin, "GET", "/routing/explain?index=abc");
      assertThat(unclear.statusCode()).isEqualTo(400);
      assertThat(unclear.body()).contains("illegal_argument_exception", "\"status\" : 400");
    }
  }

  @Test
  void respondWithAnErrorWithoutACluster() throws Exception {
    try (Gateway gateway = start()) {
      HttpResponse<String> cat = send(gateway.restAddress(), "GET", "/_cat/nodes");
      assertThat(cat.statusCode()).isEqualTo(503);
      HttpResponse<String> search = send(gateway.restAddress(), "GET", "/i/_search");
      assertThat(search.statusCode()).isEqualTo(503);
      assertThat(search.body())
          .startsWith("{\"error\":{\"root_cause\":[{\"type\":\"no_node_available_exception\"")
          .contains("has not heard from the cluster yet")
          .doesNotContain("127.0.0.1")
          .endsWith("\"status\":503}");
      long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (!gateway.inFlightWork().isIdle() && System.nanoTime() < deadline) {
        Thread.sleep(10);
      }
      assertThat(gateway.inFlightWork()).matches(InFlightWork::isIdle);
    }
  }

  @Test
  void serveEveryAdminPage() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress admin = gateway.adminAddress();
      assertThat(send(admin, "GET", "/config").body())
          .contains("\"seeds\"")
          .contains("\"algorithm\": \"adaptive\"");
      assertThat(send(admin, "GET", "/stats").body())
          .contains("\"in_flight\"", "\"started_at\"", "\"cpu_ms\"", "\"draining\": false")
          .contains("\"latency_bounds_ms\": [1, 2, 5, 10,", "\"by_action\": []");
      assertThat(send(admin, "GET", "/ui/").body()).contains("<title>Weir</title>");
      assertThat(send(admin, "GET", "/routing").body()).contains("\"formula\"");
      assertThat(send(admin, "GET", "/metrics").body())
          .contains("weir_requests_in_flight 0.0")
          .contains("weir_cluster_nodes{cluster=\"main\"} 0.0")
          .contains("weir_netty_direct_bytes")
          .contains("weir_proxy_failures_total{cluster=\"main\"} 0.0")
          .contains("jvm_memory_used_bytes");
    }
  }

  @Test
  void documentEveryMetric() throws Exception {
    String docs = Files.readString(Path.of("..", "docs", "metrics.md"));
    try (Gateway gateway = start()) {
      List<String> names =
          send(gateway.adminAddress(), "GET", "/metrics")
              .body()
              .lines()
              .filter(line -> line.startsWith("# HELP weir_"))
              .map(line -> line.split(" ")[2].replaceFirst("_max$", ""))
              .toList();
      assertThat(names).hasSizeGreaterThan(30);
      for (String name : names) {
        assertThat(docs).contains("`" + name);
      }
    }
  }

  @Test
  void rememberRequestsAndDrains() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress admin = gateway.adminAddress();
      assertThat(send(gateway.restAddress(), "GET", "/seen/_search").statusCode()).isEqualTo(503);
      String failed = "";
      long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (!failed.contains("/seen/") && System.nanoTime() < deadline) {
        failed = send(admin, "GET", "/requests?show=failed").body(); // recorded after the response
      }
      assertThat(failed).contains("\"request_line\": \"GET /seen/_search\"", "\"status\": 503");
      assertThat(send(admin, "GET", "/stats").body()).contains("\"name\": \"seen\"");
      send(admin, "POST", "/drain");
      send(admin, "POST", "/undrain");
      assertThat(send(admin, "GET", "/history").body())
          .contains("\"kind\":\"drain\",\"text\":\"draining: requested on the admin port\"")
          .contains("\"text\":\"serving again: ");
    }
  }

  @Test
  void endReadinessAndClosePortsWhenDraining() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress rest = gateway.restAddress();
      InetSocketAddress admin = gateway.adminAddress();
      assertThat(send(admin, "POST", "/drain").statusCode()).isEqualTo(202);
      assertThat(send(admin, "GET", "/readyz").body()).contains("draining");
      gateway.drain(Duration.ofSeconds(5));
      assertThatThrownBy(() -> send(rest, "GET", "/")).isInstanceOf(IOException.class);
      assertThat(send(admin, "GET", "/livez").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void serveAgainAfterUndrain() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress rest = gateway.restAddress();
      InetSocketAddress admin = gateway.adminAddress();
      for (int round = 0; round < 3; round++) {
        assertThat(send(admin, "POST", "/drain").statusCode()).isEqualTo(202);
        assertThat(send(admin, "GET", "/readyz").body()).contains("draining");
        if (round > 0) {
          awaitRefusal(rest);
        }
        HttpResponse<String> undrained = send(admin, "POST", "/undrain");
        assertThat(undrained.statusCode()).isEqualTo(200);
        assertThat(undrained.body()).contains("\"draining\": false");
        assertThat(send(admin, "GET", "/readyz").body()).doesNotContain("draining");
        for (int i = 0; i < 3; i++) {
          HttpResponse<String> search = send(rest, "GET", "/i/_search");
          assertThat(search.statusCode()).isEqualTo(503);
          assertThat(search.headers().firstValue("connection")).isEmpty();
        }
      }
    }
  }

  private void awaitRefusal(InetSocketAddress rest) throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (System.nanoTime() < deadline) {
      try (Socket socket = new Socket()) {
        socket.connect(rest);
        Thread.sleep(20);
      } catch (IOException refused) {
        return;
      }
    }
    throw new AssertionError("the REST port still accepts connections");
  }

  @Test
  void keepTheDelayOfADrainThatTheEndOfTheProcessInterrupts() throws Exception {
    GatewayPolicy delayed =
        parse(
            """
            clusters: {main: {seeds: ["127.0.0.1:1"]}}
            http: {listen: "127.0.0.1:0", event-loops: 1}
            admin: {listen: "127.0.0.1:0", drain-delay: 10m}
            """);
    try (Gateway gateway = Gateway.start(delayed, REGISTRIES)) {
      InetSocketAddress rest = gateway.restAddress();
      assertThat(send(gateway.adminAddress(), "POST", "/drain").statusCode()).isEqualTo(202);
      Thread stopping = new Thread(() -> gateway.drain(Duration.ofSeconds(5)));
      stopping.start();
      long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (stopping.getState() != Thread.State.TIMED_WAITING) {
        assertThat(System.nanoTime() - end).as("the delay").isNegative();
        assertThat(stopping.isAlive()).as("the delay goes on").isTrue();
        Thread.sleep(5);
      }
      assertThat(send(rest, "GET", "/i/_search").statusCode()).isEqualTo(503);
      stopping.interrupt();
      stopping.join(Duration.ofMinutes(1));
      assertThatThrownBy(() -> send(rest, "GET", "/")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void stayDrainedWhileTheProcessStops() throws Exception {
    try (Gateway gateway = start()) {
      gateway.drain(Duration.ofSeconds(5));
      assertThat(send(gateway.adminAddress(), "POST", "/undrain").statusCode()).isEqualTo(409);
      assertThat(gateway.isDraining()).isTrue();
    }
  }

  @Test
  void serveHealthChecksOnAPortOfTheirOwn() throws Exception {
    String text =
        """
        clusters: {main: {seeds: ["127.0.0.1:1"]}}
        http: {listen: "127.0.0.1:0", event-loops: 1}
        admin: {listen: "127.0.0.1:0", token: "0123456789abcdef"}
        health: {enabled: true, listen: "127.0.0.1:0", metrics-enabled: true}
        """;
    try (Gateway gateway = Gateway.start(parse(text), REGISTRIES)) {
      InetSocketAddress health = Objects.requireNonNull(gateway.healthAddress());
      assertThat(send(health, "GET", "/livez").statusCode()).isEqualTo(200);
      HttpResponse<String> ready = send(health, "GET", "/readyz");
      assertThat(ready.statusCode()).isEqualTo(503);
      assertThat(ready.body()).contains("\"ready\": false").doesNotContain("127.0.0.1");
      assertThat(send(health, "GET", "/readyz?cluster=main").statusCode()).isEqualTo(503);
      HttpResponse<String> unknown = send(health, "GET", "/readyz?cluster=other");
      assertThat(unknown.statusCode()).isEqualTo(400);
      assertThat(unknown.body()).doesNotContain("main");
      assertThat(send(health, "GET", "/metrics").body()).contains("weir_requests_in_flight");
      for (String path : List.of("/stats", "/config", "/drain", "/ui/")) {
        assertThat(send(health, "GET", path).statusCode()).as(path).isEqualTo(404);
      }
      InetSocketAddress admin = gateway.adminAddress();
      assertThat(send(admin, "GET", "/livez").statusCode()).isEqualTo(200);
      assertThat(send(admin, "GET", "/readyz").body()).isEqualTo(ready.body());
      assertThat(send(admin, "GET", "/stats").statusCode()).isEqualTo(401);
      assertThat(send(admin, "POST", "/drain").statusCode()).isEqualTo(401);
      assertThat(gateway.isDraining()).isFalse();
    }
  }

  @Test
  void encryptPassedThroughRequestsWhenConfigured(@TempDir Path folder) throws Exception {
    Path trust = Files.writeString(folder.resolve("ca.pem"), "no certificate");
    assertThatThrownBy(
            () -> Gateway.start(policy("rest-tls: {enabled: true, ca-file: \"" + trust + "\"}")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("rest-tls: ")
        .hasMessageContaining("ca.pem");
  }

  @Test
  void nameTheAddressInUse() throws Exception {
    try (Gateway first = start()) {
      int rest = first.restAddress().getPort();
      int admin = first.adminAddress().getPort();
      assertThatThrownBy(() -> Gateway.start(policy(rest, 0), REGISTRIES))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("http.listen: got 127.0.0.1:" + rest)
          .hasMessageContaining("Address already in use");
      assertThatThrownBy(() -> Gateway.start(policy(0, admin), REGISTRIES))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("admin.listen: got 127.0.0.1:" + admin);
    }
  }
}
