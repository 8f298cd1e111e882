package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.PolicyLoader;
import dev.weir.it.faults.Await;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tenants that are limited, beside one that is not. */
class PacingIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final Pattern TOOK = Pattern.compile("\"took\":\\d+");
  private static final Pattern DELAYED = Pattern.compile("\"delayed\": [1-9]");
  private static final String SEARCH = "/paced/_search?q=n:2";

  /** One that never upgrades: what a node answers in HTTP/2 has other headers. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static TestBed bed;

  @BeforeAll
  static void start() {
    bed =
        TestBed.withSections(
            NODES.seeds(),
            """
            admission:
              tenants: {source: header, header: X-Tenant}
              pacing:
                rules:
                  - {name: strict, tenants: ["strict*"], limit-by: tenant, requests-per-second: 0.001, max-burst-requests: 2, max-delay: 0s}
                  - {name: smooth, tenants: [smooth], requests-per-second: 1, max-delay: 1m}
                  - {name: bytes, tenants: [bulky], actions: [bulk], bytes-per-second: 1b, max-burst-bytes: 1kb}
                  - {name: trial, tenants: [free], limit-by: index, requests-per-second: 0.001, dry-run: true}
            """);
    NODES
        .rest()
        .send(
            "PUT", "/paced", "{\"settings\": {\"number_of_shards\": 2, \"number_of_replicas\": 1}}")
        .orThrow();
    for (int n = 0; n < 4; n++) {
      NODES.rest().send("PUT", "/paced/_doc/" + n + "?refresh=true", "{\"n\":" + n + "}").orThrow();
    }
  }

  @AfterAll
  static void close() {
    NODES.rest().send("DELETE", "/paced");
    bed.assertNothingHeld();
    bed.close();
  }

  private static HttpRequest get(URI base, String path, String tenant) {
    return HttpRequest.newBuilder(base.resolve(path)).header("X-Tenant", tenant).build();
  }

  private static HttpResponse<String> send(String path, String tenant) throws Exception {
    return CLIENT.send(get(bed.uri(), path, tenant), BodyHandlers.ofString());
  }

  private static String masked(HttpResponse<String> answer) {
    return answer.statusCode() + TOOK.matcher(answer.body()).replaceAll("\"took\":1");
  }

  @Test
  void answerUnlimitedTenantsLikeANode() throws Exception {
    for (int i = 0; i < 5; i++) {
      HttpResponse<String> node =
          CLIENT.send(get(NODES.node(0).httpUri(), SEARCH, "free"), BodyHandlers.ofString());
      HttpResponse<String> here = send(SEARCH, "free");
      assertThat(masked(here)).isEqualTo(masked(node));
      assertThat(here.headers().map().keySet()).isEqualTo(node.headers().map().keySet());
    }
    String stats = bed.admin().send("GET", "/stats").body();
    assertThat(stats.substring(stats.indexOf("\"trial\"")))
        .containsPattern(
            "\"rejected\": 0,\\s+\"dry_run_allowed\": 1,\\s+\"dry_run_delayed\": 0,\\s+"
                + "\"dry_run_rejected\": 4");
  }

  @Test
  void rejectALimitedTenantButNotAnother() throws Exception {
    assertThat(send(SEARCH, "strict-1").statusCode()).isEqualTo(200);
    assertThat(send("/_cat/indices/paced", "strict-1").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = send(SEARCH, "strict-1");
    assertThat(refused.statusCode()).isEqualTo(429);
    assertThat(refused.headers().firstValue("content-type"))
        .contains("application/json; charset=UTF-8");
    long retryAfter = refused.headers().firstValueAsLong("Retry-After").orElseThrow();
    assertThat(retryAfter).isBetween(1L, 1000L);
    Pattern delay = Pattern.compile("wait (\\d+) ms");
    var measured = delay.matcher(refused.body());
    assertThat(measured.find()).isTrue();
    long millis = Long.parseLong(measured.group(1));
    assertThat(retryAfter).isEqualTo((millis + 999) / 1000);
    String cause =
        "\"type\":\"rejected_execution_exception\",\"reason\":\"rejected by the gateway: rate_limit"
            + " [strict] of [strict-1], got a request that would have had to wait "
            + millis
            + " ms (expected: at most 0 ms, at 0.001 requests a second with a burst of 2); retry"
            + " after "
            + retryAfter
            + " s, or raise the rate of this rule in admission.pacing\","
            + "\"rule\":\"strict\",\"key\":\"strict-1\",\"unit\":\"requests\",\"per_second\":0.001,"
            + "\"burst\":2,\"delay_ms\":"
            + millis
            + ",\"max_delay_ms\":0";
    assertThat(refused.body())
        .isEqualTo("{\"error\":{\"root_cause\":[{" + cause + "}]," + cause + "},\"status\":429}");
    assertThat(send("/_cat/indices/paced", "strict-1").statusCode())
        .as("one that would pass through")
        .isEqualTo(429);
    assertThat(send(SEARCH, "strict-2").statusCode()).isEqualTo(200);
    assertThat(bed.admin().send("GET", "/metrics").body())
        .contains("weir_pacing_requests_total{outcome=\"rejected\",rule=\"strict\"}");
  }

  /** A slow machine may send the second request a second after the first: then both try again. */
  @Test
  void delayAPacedTenantAndThenAnswer() {
    Await.untilValue(
        "delayed requests",
        () -> {
          List<CompletableFuture<HttpResponse<String>>> both =
              List.of(
                  CLIENT.sendAsync(get(bed.uri(), SEARCH, "smooth"), BodyHandlers.ofString()),
                  CLIENT.sendAsync(get(bed.uri(), SEARCH, "smooth"), BodyHandlers.ofString()));
          assertThat(both).allMatch(answer -> answer.join().statusCode() == 200);
          return bed.admin().send("GET", "/stats").body();
        },
        stats ->
            DELAYED.matcher(stats.substring(stats.indexOf("\"smooth\""))).find()
                && stats.contains("\"waiting_requests\": 0"));
  }

  @Test
  void paysForTheBytesOfBulks() throws Exception {
    String line = "{\"index\":{\"_id\":\"b\"}}\n{\"text\":\"" + "x".repeat(900) + "\"}\n";
    HttpRequest bulk =
        HttpRequest.newBuilder(bed.uri().resolve("/paced/_bulk"))
            .header("X-Tenant", "bulky")
            .header("Content-Type", "application/x-ndjson")
            .POST(BodyPublishers.ofString(line))
            .build();
    assertThat(CLIENT.send(bulk, BodyHandlers.ofString()).body()).contains("\"errors\":false");
    HttpResponse<String> second = CLIENT.send(bulk, BodyHandlers.ofString());
    assertThat(second.statusCode()).isEqualTo(429);
    assertThat(second.body()).contains("at 1 bytes a second with a burst of 1024");
    assertThat(send(SEARCH, "bulky").statusCode()).isEqualTo(200);
  }

  @Test
  void rulesChangeWhileRequestsRun() {
    String rules =
        "admission: {pacing: {rules: [{name: late, requests-per-second: 0.001, max-delay: 0s}]}}\n";
    try (TestBed other = TestBed.inFrontOf(NODES.seeds())) {
      RestClient client = other.rest();
      for (int i = 0; i < 3; i++) {
        assertThat(client.send("GET", SEARCH).status()).isEqualTo(200);
      }
      String seeds = "clusters: {main: {seeds: [\"127.0.0.1:1\"]}}\n";
      other.gateway().reload(new PolicyLoader(Map.of()).parse("weir.yaml", seeds + rules));
      assertThat(client.send("GET", SEARCH).status()).isEqualTo(200);
      assertThat(client.send("GET", SEARCH).status()).isEqualTo(429);
      String wrong = rules.replace("0.001", "-1");
      other.gateway().reload(new PolicyLoader(Map.of()).parse("weir.yaml", seeds + wrong));
      assertThat(client.send("GET", SEARCH).status()).isEqualTo(429);
      other.gateway().reload(new PolicyLoader(Map.of()).parse("weir.yaml", seeds));
      assertThat(client.send("GET", SEARCH).status()).isEqualTo(200);
    }
  }
}
