package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One faulty node of three, each of which has a copy of every shard: clients do not notice. The
 * cluster keeps the frozen node, so that only the gateway can avoid it.
 */
@Drawn(oneIn = 6)
class AttemptPolicyIT {
  private static final int DOCUMENTS = 200;
  private static final int SHARDS = 2;
  private static final int MANY_SHARDS = 12;
  private static final int CLIENTS = 32;

  @RegisterExtension
  private static final FaultyNodeTestBed faultyCluster =
      new FaultyNodeTestBed(
              "weir-tails", node -> node.withPlugin(NodePlugin.FAULTS).withSlowFaultDetection(), "")
          .with("all", SHARDS, 2, DOCUMENTS)
          .with("many", MANY_SHARDS, 2, DOCUMENTS);

  @Test
  void searchesGoOnWhileANodeIsFrozen() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    long before = faultyCluster.admin("/routing", "hedging.outcomes.won");
    SearchLoad load = SearchLoad.start(faultyCluster.testBed(), "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      load.awaitMore(300);
      victim.freeze();
      load.awaitMore(300);
      // at the latest when the silent node gets a probe
      Await.untilValue(
          "second requests that won",
          () -> faultyCluster.admin("/routing", "hedging.outcomes.won"),
          won -> won > before);
    } finally {
      victim.resume();
      load.awaitMore(50);
      lessThanWhole = load.stop();
    }
    assertThat(lessThanWhole).isEmpty();
  }

  /** A node gets all queries in one message, and may carry out only one at a time. */
  @Test
  void queriesThatWaitOnAFrozenNodeGoToOthers() {
    DataNode victim = faultyCluster.faultyNode();
    String path =
        "/many/_search?max_concurrent_shard_requests=1&preference=_prefer_nodes:" + victim.id();
    for (int i = 0; i < 20; i++) {
      assertWhole(path);
    }
    victim.freeze();
    try {
      for (int i = 0; i < 5; i++) {
        assertWhole(path);
      }
    } finally {
      victim.resume();
    }
    assertWhole(path);
  }

  private static void assertWhole(String path) {
    RestReply reply = faultyCluster.rest().send("POST", path, "{\"size\": " + DOCUMENTS + "}");
    JsonResponse answer = JsonResponse.of(reply.orThrow());
    assertThat(answer.number("_shards.successful")).as("%s", reply).isEqualTo(MANY_SHARDS);
    assertThat(answer.objects("hits.hits")).hasSize(DOCUMENTS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&scroll=1m"})
  void searchesStartOverWhenANodeStallsBeforeItsFetch(String parameters) {
    DataNode victim = faultyCluster.faultyNode();
    long before = stalledRestarts();
    try (RestClient direct = new RestClient(victim.httpUri())) {
      long unfetched = FaultyNodeTestBed.faults(direct, "unfetched");
      direct.send("PUT", "/_weir_faults?fetches=hold-request").orThrow();
      try {
        Await.untilValue(
            "fetches that wait",
            () -> {
              RestReply reply =
                  faultyCluster
                      .rest()
                      .send(
                          "POST",
                          "/all/_search?preference=_prefer_nodes:" + victim.id() + parameters,
                          "{\"size\": " + DOCUMENTS + ", \"sort\": [\"n\"]}");
              JsonResponse answer = JsonResponse.of(reply.orThrow());
              assertThat(answer.number("_shards.failed")).as("%s", reply).isZero();
              assertThat(answer.objects("hits.hits")).hasSize(DOCUMENTS);
              if (answer.at("_scroll_id") instanceof String scroll) {
                faultyCluster
                    .rest()
                    .send("DELETE", "/_search/scroll", "{\"scroll_id\": \"" + scroll + "\"}")
                    .orThrow();
              }
              return FaultyNodeTestBed.faults(direct, "unfetched");
            },
            now -> now > unfetched);
      } finally {
        direct.send("PUT", "/_weir_faults?fetches=pass").orThrow();
      }
    }
    assertThat(stalledRestarts()).isGreaterThan(before);
  }

  /** The stop catches searches in every phase. Each response is the one that a node gives. */
  @Test
  void everyClientGoesOnWhileANodeIsStopped() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    String body = "{\"size\": " + DOCUMENTS + ", \"sort\": [\"n\"]}";
    JsonResponse expected =
        JsonResponse.of(faultyCluster.nodes().rest().send("POST", "/many/_search", body).orThrow());
    RepeatedSearch load =
        RepeatedSearch.start(faultyCluster.rest(), "/many/_search", body, expected, CLIENTS);
    try {
      load.awaitMoreOfEach(5);
      victim.freeze();
      load.awaitMoreOfEach(3);
      victim.resume();
      load.awaitMoreOfEach(1);
    } finally {
      victim.resume();
      load.stop();
    }
  }

  private static long stalledRestarts() {
    JsonResponse page = JsonResponse.of(faultyCluster.admin().send("GET", "/routing").orThrow());
    return page.at("hedging.restarts.node-stalled") instanceof Number count ? count.longValue() : 0;
  }

  @Test
  void documentsAreReadWhileANodeIsFrozen() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    for (int n = 0; n < DOCUMENTS; n++) {
      assertThat(faultyCluster.rest().send("GET", "/all/_doc/" + n).status()).isEqualTo(200);
    }
    victim.freeze();
    try {
      for (int n = 0; n < DOCUMENTS; n++) {
        assertThat(faultyCluster.rest().send("GET", "/all/_doc/" + n).status()).isEqualTo(200);
      }
    } finally {
      victim.resume();
    }
  }

  @Test
  void searchesGoOnWhileANodeIsStoppedMostOfTheTime() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    SearchLoad load = SearchLoad.start(faultyCluster.testBed(), "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      load.awaitMore(100);
      victim.throttle(Duration.ofMillis(250), 0.8);
      load.awaitMore(300);
    } finally {
      victim.resume();
      lessThanWhole = load.stop();
    }
    assertThat(lessThanWhole).isEmpty();
  }

  @Test
  void avoidANodeThatFailsFastUntilItRecovers() throws Exception {
    DataNode victim = faultyCluster.faultyNode();
    try (RestClient direct = new RestClient(victim.httpUri())) {
      SearchLoad load = SearchLoad.start(faultyCluster.testBed(), "all", DOCUMENTS);
      List<RestReply> lessThanWhole;
      try {
        load.awaitMore(100);
        direct.send("PUT", "/_weir_faults?searches=fail").orThrow();
        Await.untilValue(
            "failed", () -> FaultyNodeTestBed.faults(direct, "failed"), failed -> failed >= 9);
        load.awaitMore(200);
        long before = FaultyNodeTestBed.faults(direct, "searches");
        load.awaitMore(2000);
        long sent = FaultyNodeTestBed.faults(direct, "searches") - before;
        // A healthy node gets a third. Simulations bound the share more tightly than this test.
        assertThat(sent * 20)
            .as("twenty times what the failing node got")
            .isLessThan(2000 * SHARDS);
        direct.send("PUT", "/_weir_faults?searches=pass").orThrow();
        long then = FaultyNodeTestBed.faults(direct, "searches");
        Await.untilValue(
            "after recovery",
            () -> FaultyNodeTestBed.faults(direct, "searches"),
            now -> now > then + 100);
      } finally {
        direct.send("PUT", "/_weir_faults?searches=pass").orThrow();
        lessThanWhole = load.stop();
      }
      assertThat(lessThanWhole).isEmpty();
    }
  }

  @Test
  void explainTheChosenCopyOfEachShard() {
    for (int i = 0; i < 20; i++) {
      faultyCluster.rest().send("GET", "/all/_search").orThrow();
    }
    JsonResponse page =
        JsonResponse.of(faultyCluster.admin().send("GET", "/routing/explain?index=all").orThrow());
    assertThat(page.objects("shards")).hasSize(SHARDS);
    for (Map<String, Object> each : page.objects("shards")) {
      JsonResponse shard = new JsonResponse(200, each);
      List<Map<String, Object>> candidates = shard.objects("candidates");
      assertThat(candidates).hasSize(3);
      assertThat(candidates.getFirst()).containsEntry("node", shard.text("winner"));
      for (Map<String, Object> candidate : candidates) {
        assertThat(candidate).containsKeys("rank", "state", "reason", "score");
        assertThat(new JsonResponse(200, candidate).objects("terms"))
            .allSatisfy(term -> assertThat(term).containsKeys("term", "value", "unit"));
      }
    }
    JsonResponse fixed =
        JsonResponse.of(
            faultyCluster
                .admin()
                .send("GET", "/routing/explain?index=all&shard=1&preference=me")
                .orThrow());
    assertThat(fixed.objects("shards")).hasSize(1);
    assertThat(new JsonResponse(200, fixed.objects("shards").getFirst()).text("order"))
        .startsWith("fixed");
    assertThat(faultyCluster.admin().send("GET", "/routing/explain?index=none").status())
        .isEqualTo(400);
  }

  private static HttpResponse<String> ask(
      HttpClient client, String method, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(faultyCluster.testBed().uri().resolve(path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("Content-Type", "application/x-ndjson")
            .headers(headers);
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET  | /all/_search           | ''                                  | query",
        "GET  | /all/_count            | ''                                  | query",
        "GET  | /all/_search?scroll=1m | ''                                  | query",
        "POST | /_msearch              | {\"index\":\"all\"}%n{\"size\":1}%n    | query",
        "GET  | /all/_doc/7            | ''                                  | get",
        "POST | /all/_mget             | {\"ids\":[\"1\",\"2\"]}               | get"
      })
  void explainsARequestToItsClientAndToOperators(
      String method, String path, String body, String phase) throws Exception {
    String opaque = "explained-" + path;
    String told;
    try (HttpClient client = HttpClient.newHttpClient()) {
      told =
          ask(
                  client,
                  method,
                  path,
                  body.formatted(),
                  "X-Weir-Explain",
                  "true",
                  "X-Opaque-Id",
                  opaque)
              .headers()
              .firstValue("X-Weir-Explain")
              .orElseThrow();
    }
    if (path.contains("scroll")) {
      faultyCluster.rest().send("DELETE", "/_search/scroll/_all").orThrow();
    }
    assertThat(told)
        .startsWith("{\"request_id\":\"")
        .contains("\"shards\":[{\"index\":\"all\",\"shard\":", "\"state\":\"", "\"score\":")
        .contains("\"phase\":\"" + phase + "\"", "\"outcome\":\"answered\"")
        .endsWith("]}]}");
    String id = told.substring(told.indexOf(":\"") + 2, told.indexOf("\","));
    for (String name : List.of(opaque, id)) {
      String query = "request=" + URLEncoder.encode(name, UTF_8);
      JsonResponse page =
          JsonResponse.of(faultyCluster.admin().send("GET", "/routing/explain?" + query).orThrow());
      assertThat(page.text("request_id")).isEqualTo(id);
      assertThat(page.text("opaque_id")).isEqualTo(opaque);
      List<JsonResponse> shards =
          page.objects("shards").stream()
              .map(shard -> new JsonResponse(200, shard))
              // where a node stands still, the search starts over: its first attempt has no winner
              .dropWhile(shard -> shard.text("winner").isEmpty())
              .toList();
      assertThat(shards).as("shards of " + page).isNotEmpty();
      for (JsonResponse shard : shards) {
        assertThat(shard.text("policy")).isEqualTo("adaptive");
        assertThat(shard.objects("candidates")).hasSize(3);
        assertThat(shard.objects("candidates"))
            .as(() -> "candidates of " + shard)
            .extracting("node")
            .contains(shard.text("winner"));
        assertThat(shard.objects("calls")).extracting("phase").contains(phase);
        assertThat(new JsonResponse(200, shard.objects("candidates").getFirst()).objects("terms"))
            .extracting("term")
            .contains("s", "L", "k", "b", "silence", "errors");
      }
    }
  }

  @Test
  void explainsARecentRequestThatDidNotAskForIt() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = ask(client, "GET", "/all/_search", "", "X-Opaque-Id", "silent");
      assertThat(answer.headers().firstValue("X-Weir-Explain")).isEmpty();
      HttpResponse<String> passed =
          ask(client, "GET", "/_cat/health", "", "X-Weir-Explain", "true", "X-Opaque-Id", "passed");
      assertThat(passed.headers().firstValue("X-Weir-Explain")).isEmpty();
    }
    JsonResponse page =
        JsonResponse.of(
            faultyCluster.admin().send("GET", "/routing/explain?request=silent").orThrow());
    assertThat(page.objects("shards")).hasSize(SHARDS);
    assertThat(faultyCluster.admin().send("GET", "/routing/explain?request=passed").status())
        .isEqualTo(404);
  }

  @Test
  void changeThePolicyUnderLoad() throws Exception {
    SearchLoad load = SearchLoad.start(faultyCluster.testBed(), "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      for (String policy : List.of("c3", "round-robin", "least-outstanding", "adaptive")) {
        load.awaitMore(50);
        faultyCluster.testBed().gateway().reload(read("routing: {algorithm: " + policy + "}"));
        assertThat(
                JsonResponse.of(faultyCluster.admin().send("GET", "/routing").orThrow())
                    .text("policy.algorithm"))
            .isEqualTo(policy);
      }
      load.awaitMore(50);
    } finally {
      lessThanWhole = load.stop();
    }
    assertThat(lessThanWhole).isEmpty();
    faultyCluster.testBed().gateway().reload(read("routing: {algorithm: fastest}"));
    assertThat(faultyCluster.admin().send("GET", "/readyz").orThrow().body()).contains("fastest");
    assertThat(faultyCluster.admin("/config", "reload.rejected")).isPositive();
    faultyCluster.testBed().gateway().reload(read("routing: {algorithm: adaptive}"));
    assertThat(faultyCluster.admin().send("GET", "/readyz").orThrow().body())
        .doesNotContain("fastest");
  }

  private static LoadResult read(String routing) {
    String seeds =
        faultyCluster.nodes().seeds().stream().collect(Collectors.joining("\", \"", "\"", "\""));
    return new PolicyLoader(Map.of())
        .parse("weir.yaml", "clusters: {main: {seeds: [" + seeds + "]}}\n" + routing);
  }
}
