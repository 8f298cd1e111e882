package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNode;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the gateway learns the load of a node with the plugin, in front of one such node and
 * one without.
 */
final class LoadFeedbackCheck {
  private static final List<String> PHASES = List.of("query", "fetch", "get", "write");

  private LoadFeedbackCheck() {}

  /**
   * Does all kinds of work on both nodes, and checks what the gateway shows.
   *
   * @param with the node with the plugin
   */
  static void run(TestBed bed, DataNode with, DataNode without) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      Client rest = new Client(client, bed);
      // all copies of an index are on one node, so that both nodes work and forward nothing
      for (DataNode node : List.of(with, without)) {
        rest.send(
            "PUT",
            "/on-" + node.name(),
            """
            {"settings": {"number_of_shards": 2, "number_of_replicas": 0,
              "index.routing.allocation.require._name": "%s"}}\
            """
                .formatted(node.name()));
        workOn(rest, "on-" + node.name());
      }
      JsonResponse page = JsonResponse.of(bed.admin().send("GET", "/routing"));
      for (String phase : PHASES) {
        Map<String, Object> row = row(page, with, phase);
        assertThat(row).as(phase).containsKey("reported");
        assertReport(phase, row);
        assertThat(row(page, without, phase)).as(phase).doesNotContainKey("reported");
      }
      // without a report the response time stands for the service time
      for (String phase : List.of("fetch", "get")) {
        Map<String, Object> known = row(page, with, phase);
        assertThat(number(known, "service_ms")).isNotEqualTo(number(known, "response_ms"));
        Map<String, Object> unknown = row(page, without, phase);
        assertThat(number(unknown, "service_ms")).isEqualTo(number(unknown, "response_ms"));
      }
      assertProcess(bed, rest, with, without);
    }
  }

  /** Sends each kind of request, in each form in which responses of nodes reach a client. */
  private static void workOn(Client rest, String index) throws Exception {
    rest.send("PUT", "/" + index + "/_doc/1?refresh=true", "{\"n\": 1}");
    for (int i = 0; i < 3; i++) {
      rest.send(
          "POST",
          "/" + index + "/_bulk?refresh=true",
          "{\"index\": {\"_id\": \"2\"}}\n{\"n\": 2}\n{\"index\": {}}\n{\"n\": 3}\n");
      rest.send("POST", "/" + index + "/_update/1", "{\"doc\": {\"n\": " + (10 + i) + "}}");
      rest.send("GET", "/" + index + "/_doc/1", "");
      rest.send("GET", "/" + index + "/_mget", "{\"ids\": [\"1\", \"2\"]}");
      rest.send("GET", "/" + index + "/_explain/1", "{\"query\": {\"match_all\": {}}}");
      rest.send("GET", "/" + index + "/_search", "{\"query\": {\"match_all\": {}}}");
      rest.send("GET", "/" + index + "/_search?search_type=dfs_query_then_fetch&q=n:2", "");
      rest.send(
          "GET",
          "/_msearch",
          "{\"index\": \"%s\"}\n{\"size\": 1}\n{\"index\": \"%s\"}\n{\"size\": 0}\n"
              .formatted(index, index));
    }
    JsonResponse page = rest.send("GET", "/" + index + "/_search?scroll=1m&size=1", "");
    String id = "{\"scroll_id\": \"" + page.text("_scroll_id") + "\"}";
    rest.send("GET", "/_search/scroll?scroll=1m", id.replace("}", ", \"scroll\": \"1m\"}"));
    rest.send("DELETE", "/_search/scroll", id);
  }

  private static void assertReport(String phase, Map<String, Object> row) {
    Map<String, Object> reported = objects(row.get("reported"));
    assertThat(number(reported, "queued")).as(phase).isNotNegative();
    assertThat(number(reported, "running")).as(phase).isNotNegative();
    assertThat(number(reported, "service_ms")).as(phase).isPositive();
    assertThat(number(reported, "age_ms")).as(phase).isNotNegative();
  }

  /** The node measures its process after the first report, beside the requests. */
  private static void assertProcess(TestBed bed, Client rest, DataNode with, DataNode without) {
    Await.untilValue(
        "the process of " + with.name(),
        () -> {
          try {
            rest.send("GET", "/on-" + with.name() + "/_doc/1", "");
          } catch (Exception e) {
            throw new AssertionError(e);
          }
          return objects(nodeStats(bed, with).get("load"));
        },
        load ->
            load.keySet()
                .equals(Set.of("cpu_ratio", "heap_ratio", "gc_pause_ms", "running_merges")));
    assertThat(number(objects(nodeStats(bed, with).get("load")), "heap_ratio"))
        .isPositive()
        .isLessThanOrEqualTo(1);
    assertThat(nodeStats(bed, without)).doesNotContainKey("load");
    assertThat(bed.admin().send("GET", "/metrics").body())
        .containsOnlyOnce("weir_node_heap_ratio{")
        .containsOnlyOnce("weir_node_cpu_ratio{")
        .containsOnlyOnce("weir_node_running_merges{")
        .containsOnlyOnce("weir_node_gc_pause_seconds_total{")
        .contains("weir_node_running_tasks{");
  }

  private static Map<String, Object> nodeStats(TestBed bed, DataNode node) {
    return JsonResponse.of(bed.admin().send("GET", "/stats")).objects("nodes").stream()
        .filter(row -> node.id().equals(row.get("node")))
        .findFirst()
        .orElse(Map.of());
  }

  private static Map<String, Object> row(JsonResponse page, DataNode node, String phase) {
    return page.objects("nodes").stream()
        .filter(row -> node.id().equals(row.get("node")) && phase.equals(row.get("phase")))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + phase + " at " + node.name()));
  }

  private static double number(Map<String, Object> row, String key) {
    assertThat(row.get(key)).as("%s of %s", key, row).isInstanceOf(Number.class);
    return row.get(key) instanceof Number number ? number.doubleValue() : -1;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> objects(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
  }

  /** Insists that no response has a header of the nodes. */
  private record Client(HttpClient http, TestBed bed) {
    JsonResponse send(String method, String path, String body) throws Exception {
      HttpRequest request =
          HttpRequest.newBuilder(bed.uri().resolve(path))
              .method(method, HttpRequest.BodyPublishers.ofString(body))
              .header("Content-Type", "application/json")
              .build();
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode())
          .as("%s %s: %s", method, path, response.body())
          .isLessThan(300);
      assertThat(response.headers().map().keySet())
          .as("%s %s", method, path)
          .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("weir-load"));
      return JsonResponse.of(response.statusCode(), response.body());
    }
  }
}
