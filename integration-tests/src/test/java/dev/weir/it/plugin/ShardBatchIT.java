package dev.weir.it.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Searches of 30 shards on three nodes of which all, one or none have the plugin. */
@Drawn(oneIn = 6)
class ShardBatchIT {
  private static final int SHARDS = 30;
  private static final int NODES = 3;
  private static final int DOCUMENTS = 300;
  private static final int SEARCHES = 10;

  private static final int BULKS = 10;

  /** Primaries of 30 on each of three nodes, which balance all copies. */
  private static final int FEWEST_PRIMARIES = 5;

  private static final int MOST_PRIMARIES = 15;

  /** Messages for more results of a bulk that takes three seconds. */
  private static final int MOST_WAVES = 6;

  /** A large document: twelve on a node are more than one response may have. */
  private static final int DOCUMENT_BYTES = 400 << 10;

  /** What the gateway asks nodes beside the searches, at most. */
  private static final int OTHER_MESSAGES = 60;

  /** The circuit breaker of a node, without bytes. */
  private static final Pattern REQUEST_BREAKER =
      Pattern.compile("request=\\{[^{}]*estimated_size_in_bytes=0,[^{}]*}");

  /** Parameters, and the bodies of searches with them. */
  private static final Map<String, List<String>> PARAMETERS =
      Map.of(
          "?batched_reduce_size=2",
          List.of(
              BatchedSearches.UNSORTED,
              "{\"size\": 0, \"aggs\": {\"g\": {\"terms\": {\"field\": \"group\"}}}}"),
          "?max_concurrent_shard_requests=1",
          List.of(BatchedSearches.UNSORTED, BatchedSearches.SORTED, BatchedSearches.FAILING),
          "?max_concurrent_shard_requests=30",
          List.of(BatchedSearches.UNSORTED, BatchedSearches.SORTED),
          "?terminate_after=2",
          List.of(
              BatchedSearches.UNSORTED, BatchedSearches.SORTED, BatchedSearches.MERGED.getFirst()),
          "?search_type=dfs_query_then_fetch",
          List.of("{\"size\": 50, \"query\": {\"match\": {\"text\": \"seven\"}}}"),
          "?allow_partial_search_results=false",
          List.of(BatchedSearches.UNSORTED, BatchedSearches.FAILING),
          "?request_cache=true",
          List.of("{\"size\": 0}"),
          "",
          List.of(BatchedSearches.FAILING));

  /** Which nodes have the plugin. */
  enum WithPlugin {
    ALL(NODES) {
      @Override
      DataNodeCluster cluster() {
        return SharedCluster.get();
      }
    },
    ONE(1) {
      @Override
      DataNodeCluster cluster() {
        return Mixed.CLUSTER;
      }
    },
    NONE(0) {
      @Override
      DataNodeCluster cluster() {
        return StockNodes.get();
      }
    };

    private final int nodes;

    WithPlugin(int nodes) {
      this.nodes = nodes;
    }

    abstract DataNodeCluster cluster();

    /** Messages of the three rounds of a search to a node with the plugin, at least. */
    private int leastMessages() {
      return 3 * (nodes + SHARDS / NODES * (NODES - nodes));
    }

    /** Messages of the two rounds of a search that is not sorted, at least. */
    private int leastUnsortedMessages() {
      return 2 * (nodes + SHARDS / NODES * (NODES - nodes));
    }

    /** The same at most: results of queries come in five parts on a slow machine. */
    private int mostUnsortedMessages() {
      return leastUnsortedMessages() + 4 * nodes;
    }

    /**
     * The same at most: each of two waves of five queries has two parts. More parts are possible
     * but rare.
     */
    private int mostMessages() {
      return leastMessages() + 3 * nodes;
    }
  }

  private static final class Mixed {
    static final DataNodeCluster CLUSTER =
        DataNodeCluster.start(
            new ClusterSpec(
                "weir-batch-one",
                List.of(
                    NodeSpec.of("with"),
                    NodeSpec.of("stock-1").withoutPlugins(),
                    NodeSpec.of("stock-2").withoutPlugins()),
                PortPlan.ANY_FREE,
                null,
                true,
                line -> {}));
  }

  @AfterAll
  static void end() {
    Mixed.CLUSTER.close();
  }

  private static void load(DataNodeCluster nodes) {
    nodes
        .rest()
        .send(
            "PUT",
            "/batched",
            """
            {"settings": {"number_of_shards": %d, "number_of_replicas": 0},
             "mappings": {"properties": {"n": {"type": "long"}, "text": {"type": "text"},
               "key": {"type": "keyword"}, "group": {"type": "keyword"},
               "kept": {"type": "keyword", "store": true}, "inner": {"type": "nested"}}}}
            """
                .formatted(SHARDS))
        .orThrow();
    String lines =
        IntStream.range(0, DOCUMENTS)
            .mapToObj(n ->
                """
                {"index":{"_id":"%d"}}
                {"n":%d,"text":"%s number %d","key":"key-%d","group":"group-%d","kept":"kept-%d","inner":[{"i":1},{"i":%d},{"i":3}]}
                """
                    .formatted(n, n, n % 7 == 0 ? "seven" : "even", n, n % 11, n % 5, n, n % 4))
            .collect(Collectors.joining());
    nodes.rest().bulk("/batched/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
  }

  private static JsonResponse search(RestClient of, String path, String body) {
    JsonResponse answer = JsonResponse.of(of.send("POST", path, body));
    Map<String, Object> lasting = new LinkedHashMap<>(answer.body());
    lasting.remove("took");
    lasting.remove("_scroll_id");
    lasting.remove("pit_id");
    return new JsonResponse(answer.status(), lasting);
  }

  private static long sentMessages(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/stats")).objects("nodes").stream()
        .mapToLong(row -> row.get("sent_requests") instanceof Number sent ? sent.longValue() : 0)
        .sum();
  }

  private static long leftOutHits(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/stats")).number("partial_reduction.hits");
  }

  private static long mergedAggregations(TestBed bed) {
    return JsonResponse.of(bed.admin().send("GET", "/stats"))
        .number("partial_reduction.aggregations");
  }

  private static void assertAnswersAsANode(
      TestBed bed, DataNodeCluster nodes, List<String> bodies) {
    for (String body : bodies) {
      assertThat(search(bed.rest(), "/batched/_search", body))
          .as(body)
          .isEqualTo(search(nodes.rest(), "/batched/_search", body));
    }
  }

  private static void awaitPlugins(TestBed bed, long expected) {
    Await.untilValue(
        expected + " nodes with the plugin, and the answer of all",
        () -> JsonResponse.of(bed.admin().send("GET", "/stats")).objects("nodes"),
        rows ->
            rows.stream().filter(row -> row.containsKey("plugin_version")).count() == NODES
                && rows.stream()
                        .filter(row ->
                            row.get("capabilities") instanceof List<?> names
                                && names.contains("shard-batches"))
                        .count()
                    == expected);
  }

  /** Insists that all search contexts were freed. */
  private static void assertNoContextOpen(DataNodeCluster nodes) {
    Await.untilValue(
        "no open search context",
        () -> JsonResponse.of(nodes.rest().send("GET", "/batched*/_stats/search")),
        stats -> stats.number("_all.total.search.open_contexts") == 0);
  }

  /** Insists that nodes count no aggregations any more. */
  private static void assertNothingHeld(DataNodeCluster nodes) {
    Await.untilValue(
        "circuit breakers for requests without bytes",
        () -> JsonResponse.of(nodes.rest().send("GET", "/_nodes/stats/breaker")).body().toString(),
        stats -> REQUEST_BREAKER.matcher(stats).results().count() == NODES);
  }

  @ParameterizedTest
  @EnumSource
  void answersAsANodeDoesWithFewerMessages(WithPlugin plugin) {
    DataNodeCluster nodes = plugin.cluster();
    load(nodes);
    try (TestBed bed = TestBed.inFrontOf(nodes.seeds())) {
      awaitPlugins(bed, plugin.nodes);
      assertThat(leftOutHits(bed)).isZero();
      assertAnswersAsANode(bed, nodes, BatchedSearches.REDUCED);
      long byScore = leftOutHits(bed);
      assertThat(byScore > 0).as("hits left out").isEqualTo(plugin.nodes > 0);
      assertAnswersAsANode(bed, nodes, BatchedSearches.REDUCED_SORTS);
      assertThat(leftOutHits(bed) > byScore).as("sorted hits left out").isEqualTo(plugin.nodes > 0);
      assertAnswersAsANode(bed, nodes, BatchedSearches.BODIES);
      long merged = mergedAggregations(bed);
      assertAnswersAsANode(bed, nodes, BatchedSearches.NOT_MERGED);
      assertThat(mergedAggregations(bed)).as("merged aggregations").isEqualTo(merged);
      assertAnswersAsANode(bed, nodes, List.of(BatchedSearches.MERGED_AT_TIMES));
      for (String body : BatchedSearches.MERGED) {
        merged = mergedAggregations(bed);
        assertAnswersAsANode(bed, nodes, List.of(body));
        assertThat(mergedAggregations(bed) > merged)
            .as("merged aggregations of " + body)
            .isEqualTo(plugin.nodes > 0);
      }
      PARAMETERS.forEach((parameters, bodies) -> {
        for (String body : bodies) {
          String path = "/batched/_search" + parameters;
          assertThat(search(bed.rest(), path, body))
              .as(path + " " + body)
              .isEqualTo(search(nodes.rest(), path, body));
        }
      });
      assertThat(
              search(bed.rest(), "/batched/_search", BatchedSearches.SORTED).objects("hits.hits"))
          .hasSize(DOCUMENTS);
      assertScrolls(bed, nodes);
      assertPointInTime(bed);

      long before = sentMessages(bed);
      for (int i = 0; i < SEARCHES; i++) {
        search(bed.rest(), "/batched/_search", BatchedSearches.SORTED);
      }
      assertThat(sentMessages(bed) - before)
          .as("messages for %d searches", SEARCHES)
          .isBetween(
              (long) SEARCHES * plugin.leastMessages(),
              (long) SEARCHES * plugin.mostMessages() + OTHER_MESSAGES);
      before = sentMessages(bed);
      for (int i = 0; i < SEARCHES; i++) {
        search(bed.rest(), "/batched/_search", BatchedSearches.UNSORTED);
      }
      assertThat(sentMessages(bed) - before)
          .as("messages for %d searches without a sort", SEARCHES)
          .isBetween(
              (long) SEARCHES * plugin.leastUnsortedMessages(),
              (long) SEARCHES * plugin.mostUnsortedMessages() + OTHER_MESSAGES);
      assertNoContextOpen(nodes);
      assertNothingHeld(nodes);
    } finally {
      nodes.rest().send("DELETE", "/batched").orThrow();
    }
  }

  /** A part of a bulk may take longer than the others, which come in messages before it then. */
  @ParameterizedTest
  @EnumSource
  void writesBulksAsANodeDoesWithFewerMessages(WithPlugin plugin) {
    DataNodeCluster nodes = plugin.cluster();
    try (TestBed bed = TestBed.inFrontOf(nodes.seeds())) {
      awaitPlugins(bed, plugin.nodes);
      BulkBatchScenario bulks = new BulkBatchScenario(nodes, bed);
      bulks.run(SHARDS);
      long before = sentMessages(bed);
      for (int i = 0; i < BULKS; i++) {
        bulks.writeAll();
      }
      int stock = NODES - plugin.nodes;
      assertThat(sentMessages(bed) - before)
          .as("messages for %d bulks", BULKS)
          .isBetween(
              BULKS * (plugin.nodes + (long) FEWEST_PRIMARIES * stock),
              BULKS * ((1L + MOST_WAVES) * plugin.nodes + (long) MOST_PRIMARIES * stock)
                  + OTHER_MESSAGES);
    } finally {
      nodes.rest().send("DELETE", "/bulked-*").orThrow();
    }
  }

  private static void assertScrolls(TestBed bed, DataNodeCluster nodes) {
    String body = "{\"size\": 200, \"sort\": [\"n\"]}";
    String path = "/batched/_search?scroll=1m";
    assertThat(search(bed.rest(), path, body)).isEqualTo(search(nodes.rest(), path, body));
    String id = JsonResponse.of(bed.rest().send("POST", path, body)).text("_scroll_id");
    JsonResponse next =
        search(
            bed.rest(), "/_search/scroll", "{\"scroll\": \"1m\", \"scroll_id\": \"" + id + "\"}");
    assertThat(next.objects("hits.hits")).hasSize(DOCUMENTS - 200);
    bed.rest().send("DELETE", "/_search/scroll/_all").orThrow();
    nodes.rest().send("DELETE", "/_search/scroll/_all").orThrow();
  }

  private static void assertPointInTime(TestBed bed) {
    String id =
        JsonResponse.of(bed.rest().send("POST", "/batched/_search/point_in_time?keep_alive=1m", ""))
            .text("pit_id");
    String body = "{\"size\": 300, \"pit\": {\"id\": \"" + id + "\"}, \"sort\": [\"n\"]}";
    assertThat(search(bed.rest(), "/_search", body).objects("hits.hits")).hasSize(DOCUMENTS);
    bed.rest().send("DELETE", "/_search/point_in_time", "{\"pit_id\": [\"" + id + "\"]}").orThrow();
  }

  /** Documents of which a node's part of a page is larger than one response may be. */
  @Test
  void takesLargeResultsInParts() {
    DataNodeCluster nodes = SharedCluster.get();
    nodes
        .rest()
        .send(
            "PUT",
            "/batched-large",
            """
            {"settings": {"number_of_shards": 9, "number_of_replicas": 0},
             "mappings": {"enabled": false}}
            """)
        .orThrow();
    int documents = 36;
    try (TestBed bed = TestBed.inFrontOf(nodes.seeds())) {
      awaitPlugins(bed, NODES);
      for (int n = 0; n < documents; n++) {
        String text = Character.toString('a' + n % 26).repeat(DOCUMENT_BYTES);
        nodes
            .rest()
            .send("PUT", "/batched-large/_doc/" + n, "{\"text\": \"" + text + "\"}")
            .orThrow();
      }
      nodes.rest().send("POST", "/batched-large/_refresh").orThrow();
      String body = "{\"size\": " + documents + "}";
      assertThat(search(bed.rest(), "/batched-large/_search", body))
          .isEqualTo(search(nodes.rest(), "/batched-large/_search", body));
      assertNoContextOpen(nodes);
    } finally {
      nodes.rest().send("DELETE", "/batched-large").orThrow();
    }
  }
}
