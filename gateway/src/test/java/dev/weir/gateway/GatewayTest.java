package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.config.load.FileReferences;
import dev.weir.config.load.LoadResult;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.stats.InFlightWork;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.fixtures.RawHttpConnection;
import dev.weir.testkit.fixtures.TestPolicies;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
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
import java.util.concurrent.CompletableFuture;
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
    return client.send(request(to, method, path), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest request(InetSocketAddress to, String method, String path) {
    URI uri = URI.create("http://127.0.0.1:" + to.getPort() + path);
    return HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody()).build();
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
        assertThat(docs).contains("`" + name + "`");
      }
    }
  }

  @Test
  void rememberRequestsAndDrains() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress admin = gateway.adminAddress();
      assertThat(send(gateway.restAddress(), "GET", "/seen/_search").statusCode()).isEqualTo(503);
      String failed = awaitFailed(admin, "/seen/");
      assertThat(failed).contains("\"request_line\": \"GET /seen/_search\"", "\"status\": 503");
      assertThat(send(admin, "GET", "/stats").body()).contains("\"name\": \"seen\"");
      send(admin, "POST", "/drain");
      send(admin, "POST", "/undrain");
      assertThat(send(admin, "GET", "/history").body())
          .contains("\"kind\":\"drain\",\"text\":\"draining: requested on the admin port\"")
          .contains("\"text\":\"serving again: ");
    }
  }

  /** Returns the page of failed requests once it has a path: they are recorded after responses. */
  private String awaitFailed(InetSocketAddress admin, String path)
      throws IOException, InterruptedException {
    String failed = "";
    long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (!failed.contains(path) && System.nanoTime() < deadline) {
      failed = send(admin, "GET", "/requests?show=failed").body();
    }
    return failed;
  }

  @Test
  void refuseToDrainWhileAnOperationGoesThroughThePort() throws Exception {
    try (Gateway gateway = start()) {
      InetSocketAddress admin = gateway.adminAddress();
      CompletableFuture<HttpResponse<String>> begun =
          client.sendAsync(
              request(admin, "POST", "/operations/move-manager"),
              HttpResponse.BodyHandlers.ofString());
      assertThat(awaitFailed(admin, "/_cluster/settings")).contains("/_cluster/settings");
      HttpResponse<String> refused = send(admin, "POST", "/drain");
      assertThat(refused.statusCode()).isEqualTo(409);
      assertThat(refused.body()).contains("an operation runs here", "POST /drain?force=true");
      assertThat(gateway.isDraining()).isFalse();
      assertThat(send(admin, "POST", "/drain?force=true").statusCode()).isEqualTo(202);
      assertThat(gateway.isDraining()).isTrue();
      begun.cancel(true);
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
  void drainOnWhenAnotherProcessHasThePort() throws Exception {
    String text =
        """
        clusters: {main: {seeds: ["127.0.0.1:1"], authorization: none}}
        http: {listen: "127.0.0.1:0", event-loops: 1, slow-clients: {min-body-rate: 0b}}
        admin: {listen: "127.0.0.1:0", drain-timeout: %s}
        """;
    try (Gateway gateway = Gateway.start(parse(text.formatted("1h")), REGISTRIES);
        RawHttpConnection held =
            new RawHttpConnection(gateway.restAddress(), Duration.ofMinutes(1))) {
      InetSocketAddress rest = gateway.restAddress();
      InetSocketAddress admin = gateway.adminAddress();
      held.send(
          RawHttpConnection.request(
              "POST", "/i/_search", "", "Expect: 100-continue", "Content-Length: 2"));
      assertThat(held.read().status()).isEqualTo(100);
      assertThat(send(admin, "POST", "/drain").statusCode()).isEqualTo(202);
      awaitRefusal(rest);
      gateway.reload(new LoadResult.Loaded(parse(text.formatted("10ms")), FileReferences.NONE));
      try (ServerSocket other = new ServerSocket(rest.getPort(), 1, rest.getAddress())) {
        assertThat(other.getLocalPort()).isEqualTo(rest.getPort());
        HttpResponse<String> failed = send(admin, "POST", "/undrain");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).contains("bind_exception", "Address already in use");
        held.expectClosed();
      }
      assertThat(send(admin, "GET", "/metrics").body())
          .as("the drain closed the connection, not a timeout of the client")
          .contains("weir_http_closed_connections_total{reason=\"timeout\"} 0.0");
      assertThat(send(admin, "POST", "/undrain").statusCode()).isEqualTo(200);
      assertThat(send(rest, "GET", "/i/_search").statusCode()).isEqualTo(503);
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

  @Test
  void nameTheAddressThatDoesNotResolve() {
    GatewayPolicy policy =
        parse(
            """
            clusters: {main: {seeds: ["127.0.0.1:1"], authorization: none}}
            http: {listen: "no-such-host.invalid:0", event-loops: 1}
            admin: {listen: "127.0.0.1:0"}
            """);
    assertThatThrownBy(() -> Gateway.start(policy, REGISTRIES))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(
            "http.listen: got no-such-host.invalid:0, which does not resolve (expected: an address"
                + " of this machine)");
  }
}
