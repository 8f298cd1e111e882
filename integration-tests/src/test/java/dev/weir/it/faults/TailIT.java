package dev.weir.it.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.it.TestBed;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodes;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One troubled node of three, each of which has a copy of every shard: nobody notices. */
class TailIT {
  private static final int DOCUMENTS = 200;
  private static final int SHARDS = 2;

  private static DataNodes nodes;
  private static TestBed bed;

  @BeforeAll
  static void start() {
    nodes =
        DataNodes.start(
            ClusterSpec.of(3)
                .named("weir-tails")
                .eachNode(node -> node.withPlugin(NodePlugin.FAULTS)));
    nodes
        .rest()
        .send(
            "PUT",
            "/all?wait_for_active_shards=all",
            """
            {"settings": {"number_of_shards": %d, "number_of_replicas": 2},
             "mappings": {"properties": {"n": {"type": "long"}}}}
            """
                .formatted(SHARDS))
        .orThrow();
    String lines =
        IntStream.range(0, DOCUMENTS)
            .mapToObj(n -> "{\"index\":{\"_id\":\"" + n + "\"}}\n{\"n\":" + n + "}\n")
            .collect(Collectors.joining());
    nodes.rest().bulk("/all/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
    bed = TestBed.before(nodes.seeds());
  }

  @AfterAll
  static void end() {
    try {
      bed.close();
    } finally {
      nodes.close();
    }
  }

  @AfterEach
  void leavesNothing() {
    Leftovers.none(bed, nodes);
  }

  /** Not the first node, which tests ask, and not the manager. */
  private static DataNode victim() {
    String manager =
        nodes.rest().send("GET", "/_cat/cluster_manager?h=node").orThrow().body().strip();
    return nodes.nodes().stream()
        .skip(1)
        .filter(node -> !node.name().equals(manager))
        .findFirst()
        .orElseThrow();
  }

  private static long admin(String path, String field) {
    return Json.of(bed.admin().send("GET", path).orThrow()).number(field);
  }

  @Test
  void searchesGoOnWhileANodeIsFrozen() throws Exception {
    DataNode victim = victim();
    long before = admin("/routing", "hedging.outcomes.won");
    SearchStorm storm = SearchStorm.on(bed, "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      storm.awaitMore(300);
      victim.freeze();
      storm.awaitMore(300);
    } finally {
      victim.resume();
      storm.awaitMore(50);
      lessThanWhole = storm.stop();
    }
    assertThat(lessThanWhole).isEmpty();
    assertThat(admin("/routing", "hedging.outcomes.won")).isGreaterThan(before);
  }

  @Test
  void documentsAreReadWhileANodeIsFrozen() throws Exception {
    DataNode victim = victim();
    for (int n = 0; n < DOCUMENTS; n++) {
      assertThat(bed.rest().send("GET", "/all/_doc/" + n).status()).isEqualTo(200);
    }
    victim.freeze();
    try {
      for (int n = 0; n < DOCUMENTS; n++) {
        assertThat(bed.rest().send("GET", "/all/_doc/" + n).status()).isEqualTo(200);
      }
    } finally {
      victim.resume();
    }
  }

  @Test
  void searchesGoOnWhileANodeIsStoppedMostOfTheTime() throws Exception {
    DataNode victim = victim();
    SearchStorm storm = SearchStorm.on(bed, "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      storm.awaitMore(100);
      victim.slow(Duration.ofMillis(250), 0.8);
      storm.awaitMore(300);
    } finally {
      victim.resume();
      lessThanWhole = storm.stop();
    }
    assertThat(lessThanWhole).isEmpty();
  }

  @Test
  void aNodeThatFailsFastIsLeftAloneUntilItHasRecovered() throws Exception {
    DataNode victim = victim();
    RestClient direct = new RestClient(victim.http());
    SearchStorm storm = SearchStorm.on(bed, "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      storm.awaitMore(100);
      direct.send("PUT", "/_weir_faults?searches=fail").orThrow();
      Until.value("failed", () -> faults(direct, "failed"), failed -> failed >= 9);
      storm.awaitMore(200);
      long before = faults(direct, "searches");
      storm.awaitMore(2000);
      long sent = faults(direct, "searches") - before;
      assertThat(sent * 100)
          .as("hundred times what the failing node got")
          .isLessThan(2000 * SHARDS);
      direct.send("PUT", "/_weir_faults?searches=pass").orThrow();
      long then = faults(direct, "searches");
      Until.value("after recovery", () -> faults(direct, "searches"), now -> now > then + 100);
    } finally {
      direct.send("PUT", "/_weir_faults?searches=pass").orThrow();
      lessThanWhole = storm.stop();
    }
    assertThat(lessThanWhole).isEmpty();
  }

  @Test
  void explainsWhichCopyOfEachShardWouldBeAsked() {
    for (int i = 0; i < 20; i++) {
      bed.rest().send("GET", "/all/_search").orThrow();
    }
    Json page = Json.of(bed.admin().send("GET", "/routing/explain?index=all").orThrow());
    assertThat(page.objects("shards")).hasSize(SHARDS);
    for (Map<String, Object> each : page.objects("shards")) {
      Json shard = new Json(200, each);
      List<Map<String, Object>> candidates = shard.objects("candidates");
      assertThat(candidates).hasSize(3);
      assertThat(candidates.getFirst()).containsEntry("node", shard.text("winner"));
      for (Map<String, Object> candidate : candidates) {
        assertThat(candidate).containsKeys("rank", "standing", "reason", "score");
        assertThat(new Json(200, candidate).objects("terms"))
            .allSatisfy(term -> assertThat(term).containsKeys("term", "value", "unit"));
      }
    }
    Json fixed =
        Json.of(
            bed.admin().send("GET", "/routing/explain?index=all&shard=1&preference=me").orThrow());
    assertThat(fixed.objects("shards")).hasSize(1);
    assertThat(new Json(200, fixed.objects("shards").getFirst()).text("order")).startsWith("fixed");
    assertThat(bed.admin().send("GET", "/routing/explain?index=none").status()).isEqualTo(400);
  }

  @Test
  void tellsAClientThatAsksWhichCopiesWereChosen() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (String path : List.of("/all/_search", "/_cat/health")) {
        HttpRequest request =
            HttpRequest.newBuilder(bed.uri().resolve(path))
                .header("X-Weir-Explain", "true")
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        if (path.equals("/all/_search")) {
          assertThat(answer.headers().firstValue("X-Weir-Explain").orElseThrow())
              .startsWith("[{\"index\":\"all\",\"shard\":0,\"copies\":[{\"node\":\"")
              .contains("\"shard\":1", "\"standing\":\"", "\"score\":")
              .endsWith("]}]");
        } else {
          assertThat(answer.headers().firstValue("X-Weir-Explain")).isEmpty();
        }
      }
    }
  }

  private static long faults(RestClient node, String count) {
    return Json.of(node.send("GET", "/_weir_faults").orThrow()).number(count);
  }

  @Test
  void thePolicyChangesUnderLoad() throws Exception {
    SearchStorm storm = SearchStorm.on(bed, "all", DOCUMENTS);
    List<RestReply> lessThanWhole;
    try {
      for (String policy : List.of("c3", "stock", "round-robin", "least-outstanding", "adaptive")) {
        storm.awaitMore(50);
        bed.gateway().reload(read("routing: {policy: " + policy + "}"));
        assertThat(Json.of(bed.admin().send("GET", "/routing").orThrow()).text("policy.policy"))
            .isEqualTo(policy);
      }
      storm.awaitMore(50);
    } finally {
      lessThanWhole = storm.stop();
    }
    assertThat(lessThanWhole).isEmpty();
    bed.gateway().reload(read("routing: {policy: fastest}"));
    assertThat(bed.admin().send("GET", "/readyz").orThrow().body()).contains("fastest");
    assertThat(admin("/config", "reload.refused")).isPositive();
    bed.gateway().reload(read("routing: {policy: adaptive}"));
    assertThat(bed.admin().send("GET", "/readyz").orThrow().body()).doesNotContain("fastest");
  }

  private static LoadResult read(String routing) {
    String seeds = nodes.seeds().stream().collect(Collectors.joining("\", \"", "\"", "\""));
    return new PolicyLoader(Map.of())
        .parse("weir.yaml", "clusters: {main: {seeds: [" + seeds + "]}}\n" + routing);
  }
}
