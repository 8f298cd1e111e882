package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each request follows the policy of its route, and no setting of another policy. */
class PoliciesIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final String SEARCH = "{\"query\":{\"match_all\":{}}}";
  private static final String ROUTES =
      """
      http: {listen: "127.0.0.1:0"}
      admin: {listen: "127.0.0.1:0"}
      responses:
        trimming: {profiles: {ids: {drop: [source]}}}
      routes:
        - {name: lean, indices: ["policies-lean*"], actions: [search], policy: lean}
        - {name: bulks, indices: ["policies-lean*"], actions: [bulk], policy: bulks}
      policies:
        lean:
          deadline: {timeout-header: X-Patience}
          trimming: {rules: [{profile: ids, user-agents: ["*"]}]}
          sampling: {enabled: %s}
          routing: {algorithm: c3, hedging: {enabled: false}}
          request-memory: {max-bytes: 1mb}
        bulks:
          bulk: {single-shard: {indices: ["policies-*"], min-shards: 4}, streaming: {threshold: 1mb, section-bytes: 256kb}}
      """;

  private static TestBed bed;

  private static String yaml(boolean sampling) {
    String seeds =
        NODES.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    return "clusters: {main: {seeds: [" + seeds + "]}}\n" + ROUTES.formatted(sampling);
  }

  @BeforeAll
  static void start() {
    StringBuilder lines = new StringBuilder();
    for (String index : List.of("policies-lean", "policies-rich")) {
      create(index, 1);
      create(index + "-bulks", 0);
      for (int i = 0; i < 8; i++) {
        lines.append("{\"index\":{\"_index\":\"").append(index).append("\"}}\n{\"n\":1}\n");
      }
    }
    NODES
        .rest()
        .bulk("/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
    bed = TestBed.startWithConfig(yaml(false));
  }

  private static void create(String index, int replicas) {
    String settings =
        "{\"settings\":{\"number_of_shards\":4,\"number_of_replicas\":" + replicas + "}}";
    NODES.rest().send("PUT", "/" + index + "?wait_for_active_shards=all", settings).orThrow();
  }

  @AfterAll
  static void stop() {
    bed.close();
    NODES.rest().send("DELETE", "/policies-lean*,policies-rich*");
  }

  private static JsonResponse search(String path) {
    return JsonResponse.of(bed.rest().send("POST", path, SEARCH));
  }

  private static boolean anySource(JsonResponse answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(answer.objects("hits.hits")).isNotEmpty();
    return answer.objects("hits.hits").stream().anyMatch(hit -> hit.containsKey("_source"));
  }

  @Test
  void answersAreTrimmedByThePolicyOfTheRoute() {
    assertThat(anySource(search("/policies-lean/_search"))).isFalse();
    assertThat(anySource(search("/policies-rich/_search"))).isTrue();
    assertThat(anySource(search("/policies-*/_search"))).as("not all of it is lean").isTrue();
    assertThat(anySource(search("/policies-rich/_search?trim=ids"))).isFalse();
  }

  @Test
  void partsOfARequestGoByItsPolicyToo() {
    String items = "{}\n" + SEARCH + "\n{\"index\":\"policies-rich\"}\n" + SEARCH + "\n";
    JsonResponse lean = JsonResponse.of(bed.rest().send("POST", "/policies-lean/_msearch", items));
    assertThat(lean.objects("responses"))
        .hasSize(2)
        .allSatisfy(item -> assertThat(String.valueOf(item.get("hits"))).doesNotContain("_source"));
    JsonResponse rich = JsonResponse.of(bed.rest().send("POST", "/policies-rich/_msearch", items));
    assertThat(rich.objects("responses").toString()).contains("_source");
  }

  @Test
  void readTheDeadlineFromThePolicysHeader() throws Exception {
    String said = "X-Patience";
    assertThat(status("/policies-lean/_search", said)).isEqualTo(400);
    assertThat(status("/policies-rich/_search", said)).isEqualTo(200);
    String other = "X-Weir-Timeout";
    assertThat(status("/policies-lean/_search", other)).isEqualTo(200);
    assertThat(status("/policies-rich/_search", other)).isEqualTo(400);
  }

  private static int status(String path, String header) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(bed.uri().resolve(path)).header(header, "soon").build();
      return client.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  private static JsonResponse sampled(String index) {
    String body = "{\"size\":0,\"aggs\":{\"n\":{\"sum\":{\"field\":\"n\"}}}}";
    return JsonResponse.of(bed.rest().send("POST", "/" + index + "/_search?sample=0.5", body));
  }

  @Test
  void applyPolicyChangesLive() {
    JsonResponse refused = sampled("policies-lean");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.reasonOfError()).contains("[policies.lean.sampling.enabled] is false");
    assertThat(sampled("policies-rich").status()).isEqualTo(200);
    bed.gateway().reload(read(true));
    assertThat(sampled("policies-lean").status()).isEqualTo(200);
    bed.gateway().reload(read(false));
    assertThat(sampled("policies-lean").status()).isEqualTo(400);
    assertThat(bed.admin().send("GET", "/traffic").body()).contains("\"lean\"");
  }

  /** Returns the policy that ranked the copies of a search's first shard. */
  private static Object chosenBy(String index) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(bed.uri().resolve("/" + index + "/_search"))
              .header("X-Opaque-Id", index)
              .build();
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }
    JsonResponse kept =
        JsonResponse.of(bed.admin().send("GET", "/routing/explain?request=" + index).orThrow());
    return String.valueOf(kept.objects("shards").getFirst().get("policy"));
  }

  @Test
  void copiesAreChosenByThePolicyOfTheRoute() throws Exception {
    assertThat(chosenBy("policies-lean")).isEqualTo("c3");
    assertThat(chosenBy("policies-rich")).isEqualTo("adaptive");
    assertThat(JsonResponse.of(bed.admin().send("GET", "/routing").orThrow()).at("budgets.lean"))
        .as("tokens of its own")
        .isNotNull();
  }

  @Test
  void boundMemoryByThePolicyOfTheRoute() {
    String large = SEARCH + " ".repeat(3 << 20);
    JsonResponse refused =
        JsonResponse.of(bed.rest().send("POST", "/policies-lean/_search", large));
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.body().toString()).contains("policies.lean.request-memory.max-bytes");
    assertThat(bed.rest().send("POST", "/policies-rich/_search", large).status()).isEqualTo(200);
  }

  private static byte[] documents(int count, int bytes) {
    String line = "{\"index\":{}}\n{\"n\":0,\"text\":\"" + "t".repeat(bytes) + "\"}\n";
    return line.repeat(count).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the number of shards that contain the documents of a bulk. */
  private static long shardsOfABulk(String index) {
    RestReply answer = bed.rest().bulk("/" + index + "/_bulk", documents(40, 1)).orThrow();
    Set<String> shards = new HashSet<>();
    for (Map<String, Object> item : JsonResponse.of(answer).objects("items")) {
      String id = String.valueOf(((Map<?, ?>) item.values().iterator().next()).get("_id"));
      String found =
          NODES.rest().send("GET", "/" + index + "/_search_shards?routing=" + id).orThrow().body();
      shards.add(found.replaceAll("(?s).*\"shard\":(\\d+).*", "$1"));
    }
    return shards.size();
  }

  private static long streamed() {
    String metrics = bed.admin().send("GET", "/metrics").orThrow().body();
    return metrics
        .lines()
        .filter(line -> line.startsWith("weir_bulk_streamed_requests_total{"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  @Test
  void bulksAreWrittenAsThePolicyOfTheRouteSays() {
    assertThat(shardsOfABulk("policies-lean-bulks")).isOne();
    assertThat(shardsOfABulk("policies-rich-bulks")).isGreaterThan(1);
    long before = streamed();
    bed.rest().bulk("/policies-rich-bulks/_bulk", documents(20, 100_000)).orThrow();
    assertThat(streamed()).isEqualTo(before);
    bed.rest().bulk("/policies-lean-bulks/_bulk", documents(20, 100_000)).orThrow();
    assertThat(streamed()).isEqualTo(before + 1);
  }

  private static LoadResult read(boolean sampling) {
    return new PolicyLoader(Map.of()).parse("weir.yaml", yaml(sampling));
  }
}
