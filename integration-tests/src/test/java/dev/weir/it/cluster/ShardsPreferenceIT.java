package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Compares a preference with shards and a custom string with what a node says of the shards. */
class ShardsPreferenceIT {
  private static final String INDEX = "shards-preference";
  private static final String SHARDS = "_shards:0,2";
  private static final String BOTH = SHARDS + "%7Csession-7";
  private static final int DOCUMENTS = 200;

  private static RestClient node;
  private static TestBed bed;
  private static Set<String> expected;

  @BeforeAll
  static void prepare() {
    node = SharedCluster.get().rest();
    node.send(
            "PUT",
            "/" + INDEX + "?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":4,\"number_of_replicas\":1}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < DOCUMENTS; i++) {
      lines
          .append("{\"index\":{\"_id\":\"")
          .append(i)
          .append("\"}}\n{\"n\":")
          .append(i)
          .append("}\n");
    }
    node.bulk(
            "/" + INDEX + "/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
    bed = TestBed.inFrontOf(SharedCluster.get().seeds());
    expected = ids(JsonResponse.of(node.send("GET", search(SHARDS)).orThrow()));
    assertThat(expected).isNotEmpty().hasSizeLessThan(DOCUMENTS);
  }

  @AfterAll
  static void cleanUp() {
    bed.close();
    node.send("DELETE", "/" + INDEX).orThrow();
  }

  private static String search(String preference) {
    return "/" + INDEX + "/_search?size=" + DOCUMENTS + "&preference=" + preference;
  }

  private static Set<String> ids(JsonResponse found) {
    return found.objects("hits.hits").stream()
        .map(hit -> String.valueOf(hit.get("_id")))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static JsonResponse send(String method, String path, String body) {
    return JsonResponse.of(bed.rest().send(method, path, body).orThrow());
  }

  @Test
  void searchesTheNamedShards() {
    assertThat(node.send("GET", search(BOTH)).status()).as("a node").isEqualTo(400);
    JsonResponse found = send("GET", search(BOTH), "");
    assertThat(ids(found)).isEqualTo(expected);
    assertThat(found.number("_shards.total")).isEqualTo(2);
    assertThat(send("GET", "/" + INDEX + "/_count?preference=" + BOTH, "").number("count"))
        .isEqualTo(expected.size());
  }

  @Test
  void searchesSeveralAtOnce() {
    String header = "{\"preference\":\"_shards:0,2|session-7\"}\n{\"size\":" + DOCUMENTS + "}\n";
    JsonResponse found = send("POST", "/" + INDEX + "/_msearch", header + header);
    for (Map<String, Object> response : found.objects("responses")) {
      assertThat(ids(new JsonResponse(200, response))).isEqualTo(expected);
    }
  }

  @Test
  void scrollsThroughTheNamedShards() {
    Set<String> seen = new HashSet<>();
    JsonResponse page =
        send("GET", "/" + INDEX + "/_search?scroll=1m&size=10&preference=" + BOTH, "");
    while (!page.objects("hits.hits").isEmpty()) {
      for (String id : ids(page)) {
        assertThat(seen.add(id)).isTrue();
      }
      page =
          send(
              "POST",
              "/_search/scroll",
              "{\"scroll\":\"1m\",\"scroll_id\":\"" + page.text("_scroll_id") + "\"}");
    }
    send("DELETE", "/_search/scroll/" + page.text("_scroll_id"), "");
    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void opensAPointInTimeOfTheNamedShards() {
    JsonResponse opened =
        send("POST", "/" + INDEX + "/_search/point_in_time?keep_alive=1m&preference=" + BOTH, "");
    String pit = opened.text("pit_id");
    JsonResponse found =
        send(
            "POST",
            "/_search",
            "{\"size\":" + DOCUMENTS + ",\"pit\":{\"id\":\"" + pit + "\",\"keep_alive\":\"1m\"}}");
    assertThat(ids(found)).isEqualTo(expected);
    send("DELETE", "/_search/point_in_time", "{\"pit_id\":[\"" + pit + "\"]}");
  }

  @Test
  void getsDocumentsOfTheNamedShards() {
    for (int i = 0; i < 20; i++) {
      String id = String.valueOf(i);
      String path = "/" + INDEX + "/_doc/" + id + "?preference=" + BOTH;
      if (expected.contains(id)) {
        assertThat(send("GET", path, "").body())
            .isEqualTo(
                JsonResponse.of(node.send("GET", "/" + INDEX + "/_doc/" + id).orThrow()).body());
      } else {
        assertThat(bed.rest().send("GET", path).status()).isEqualTo(400);
      }
    }
  }

  @Test
  void explainsDocumentsOfTheNamedShards() {
    String query = "{\"query\":{\"range\":{\"n\":{\"gte\":3}}}}";
    for (int i = 0; i < 20; i++) {
      String id = String.valueOf(i);
      String path = "/" + INDEX + "/_explain/" + id + "?preference=";
      int refused = node.send("GET", path + BOTH, query).status();
      if (expected.contains(id)) {
        assertThat(refused).as("a node").isEqualTo(400);
        assertThat(send("GET", path + BOTH, query).body())
            .isEqualTo(JsonResponse.of(node.send("GET", path + SHARDS, query).orThrow()).body());
        assertThat(send("GET", path + BOTH + "&_source=n", query).body())
            .isEqualTo(
                JsonResponse.of(node.send("GET", path + SHARDS + "&_source=n", query).orThrow())
                    .body());
      } else {
        assertThat(bed.rest().send("GET", path + BOTH, query).status()).isEqualTo(refused);
      }
    }
  }

  @Test
  void choosesTheCopiesOfTheString() {
    List<String> copies = copies("session-7");
    assertThat(copies(BOTH)).isEqualTo(List.of(copies.get(0), copies.get(2)));
    assertThat(copies(BOTH)).isEqualTo(copies(BOTH));
  }

  /** The first copy of each shard, by shard. */
  private static List<String> copies(String preference) {
    JsonResponse explained =
        JsonResponse.of(
            bed.admin()
                .send("GET", "/routing/explain?index=" + INDEX + "&preference=" + preference)
                .orThrow());
    return explained.objects("shards").stream()
        .map(shard ->
            (Map<?, ?>) ((List<?>) Objects.requireNonNull(shard.get("candidates"))).getFirst())
        .map(copy -> Objects.requireNonNull(copy.get("node")).toString())
        .toList();
  }
}
