package dev.weir.it.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches under a ceiling, on nodes of 512 MB that have the plugin, and on others. */
@Drawn(oneIn = 2)
class RequestCeilingIT {
  private static final DataNodeCluster NODES = SharedCluster.get();
  private static final int DOCUMENTS = 300;

  /** Values of each of the two fields whose combinations are buckets: 5 million. */
  private static final int VALUES = 2240;

  private static final String MONSTER =
      """
      {"size": 0, "aggs": {"a": {"terms": {"field": "a", "size": 10, "collect_mode": "depth_first"},
       "aggs": {"b": {"terms": {"field": "b", "size": 10}}}}}}
      """;

  /** Every way in which aggregators are created: global ones, nested ones, with a buffer, ... */
  private static final String MANY_KINDS =
      """
      {"size": 3, "sort": [{"n": "desc"}, "key"], "aggs": {
        "terms": {"terms": {"field": "key", "size": 5}, "aggs": {
          "top": {"top_hits": {"size": 1, "sort": ["n"]}}, "sum": {"sum": {"field": "n"}}}},
        "least": {"rare_terms": {"field": "group", "max_doc_count": 20}},
        "all": {"global": {}, "aggs": {"n": {"stats": {"field": "n"}}}},
        "steps": {"histogram": {"field": "n", "interval": 25}, "aggs": {
          "keys": {"cardinality": {"field": "key"}}}},
        "pages": {"composite": {"size": 7, "sources": [{"key": {"terms": {"field": "key"}}}]}},
        "days": {"date_histogram": {"field": "at", "fixed_interval": "1d"}},
        "some": {"filters": {"filters": {"low": {"range": {"n": {"lt": 20}}}}}},
        "part": {"range": {"field": "n", "ranges": [{"to": 50}, {"from": 50}]}},
        "odd": {"significant_terms": {"field": "group", "min_doc_count": 1}},
        "middle": {"percentiles": {"field": "n"}},
        "inner": {"nested": {"path": "inner"}, "aggs": {"back": {"reverse_nested": {}, "aggs": {
          "max": {"max": {"field": "n"}}}}}},
        "sampled": {"sampler": {"shard_size": 5}, "aggs": {"g": {"terms": {"field": "group"}}}}},
       "query": {"range": {"n": {"gte": 10}}}}
      """;

  @BeforeAll
  static void load() {
    load(NODES);
  }

  private static void load(DataNodeCluster nodes) {
    for (String name : List.of("ceiling-wide", "ceiling-plain", "ceiling-slices")) {
      nodes
          .rest()
          .send(
              "PUT",
              "/" + name,
              """
              {"settings": {"number_of_shards": %d, "number_of_replicas": %d,
                "index.search.concurrent_segment_search.mode": "%s"},
               "mappings": {"properties": {"n": {"type": "long"}, "at": {"type": "date"},
                 "key": {"type": "keyword"}, "group": {"type": "keyword"},
                 "inner": {"type": "nested"}, "a": {"type": "long"}, "b": {"type": "long"}}}}
              """
                  .formatted(
                      name.endsWith("wide") ? 1 : 3,
                      name.endsWith("wide") ? 2 : 0,
                      name.endsWith("slices") ? "all" : "none"))
          .orThrow();
    }
    String values =
        IntStream.range(0, VALUES).mapToObj(String::valueOf).collect(Collectors.joining(","));
    bulk(
        nodes, "ceiling-wide", "{\"index\":{}}\n{\"a\":[" + values + "],\"b\":[" + values + "]}\n");
    for (int part = 0; part < 3; part++) {
      int first = part * DOCUMENTS / 3;
      String lines =
          IntStream.range(first, first + DOCUMENTS / 3)
              .mapToObj(RequestCeilingIT::document)
              .collect(Collectors.joining());
      bulk(nodes, "ceiling-plain", lines);
      bulk(nodes, "ceiling-slices", lines);
    }
  }

  private static String document(int n) {
    return """
    {"index":{"_id":"%d"}}
    {"n":%d,"at":%d,"key":"key-%d","group":"group-%d","inner":[{"i":1},{"i":%d}]}
    """
        .formatted(n, n, n * 40_000_000L, n % 70, n % 13, n);
  }

  private static void bulk(DataNodeCluster nodes, String index, String lines) {
    nodes.rest().bulk("/" + index + "/_bulk?refresh=true", lines.getBytes(UTF_8)).orThrow();
  }

  @AfterAll
  static void end() {
    NODES.rest().send("DELETE", "/ceiling-wide,ceiling-plain,ceiling-slices").orThrow();
  }

  private static TestBed gateway(DataNodeCluster nodes, String ceiling) {
    return TestBed.withSections(
        nodes.seeds(), "admission: {request-memory: {node-ceiling: {" + ceiling + "}}}");
  }

  private static RestReply search(TestBed bed, String index, String body) {
    return bed.rest()
        .send(
            "POST",
            "/" + index + "/_search?request_cache=false",
            body,
            Map.of("X-Opaque-Id", "monster-7"));
  }

  /** Bytes that all nodes' request breakers hold. */
  private static long requestBytes() {
    return breakers("request", "estimated_size_in_bytes");
  }

  private static long breakers(String breaker, String field) {
    JsonResponse stats = JsonResponse.of(NODES.rest().send("GET", "/_nodes/stats/breaker"));
    return NODES.nodes().stream()
        .mapToLong(
            node -> stats.number("nodes." + node.id() + ".breakers." + breaker + "." + field))
        .sum();
  }

  private static void assertNothingLeft(TestBed bed) {
    bed.assertNothingHeld();
    Await.untilValue(
        "searches on nodes",
        () ->
            JsonResponse.of(NODES.rest().send("GET", "/_tasks?group_by=none&actions=*search*"))
                .objects("tasks")
                .size(),
        tasks -> tasks == 0);
    Await.untilValue("bytes of requests", RequestCeilingIT::requestBytes, bytes -> bytes == 0);
  }

  @Test
  void refuseFiveMillionBucketsBeforeTheHeapSuffers() {
    PluginPlacements.assumeOnAllNodes();
    try (TestBed bed = gateway(NODES, "max-bytes: 24mb")) {
      long parent = breakers("parent", "tripped");
      long tripped = breakers("request", "tripped");

      RestReply refused = search(bed, "ceiling-wide", MONSTER);

      assertThat(refused.status()).as(refused.body()).isEqualTo(429);
      Map<String, Object> cause = JsonResponse.of(refused).objects("error.root_cause").getFirst();
      assertThat(refused.body()).contains("circuit_breaking_exception");
      assertThat(cause)
          .as(refused.body())
          .containsEntry("type", "circuit_breaking_exception")
          .containsEntry("bytes_limit", 24 << 20)
          .containsEntry("durability", "PERMANENT")
          .containsEntry("request_ceiling", "bytes")
          .containsEntry("opaque_id", "monster-7");
      assertThat(Long.parseLong(String.valueOf(cause.get("bytes_wanted"))))
          .isBetween(24L << 20, 48L << 20);
      assertThat(Long.parseLong(String.valueOf(cause.get("buckets"))))
          .isBetween(100_000L, VALUES * 500L);
      assertThat(refused.body()).contains("X-Opaque-Id [monster-7]");
      assertThat(JsonResponse.of(refused).objects("error.failed_shards")).hasSize(1);
      assertNothingLeft(bed);
      assertThat(breakers("parent", "tripped")).isEqualTo(parent);
      assertThat(breakers("request", "tripped")).isEqualTo(tripped);
      search(bed, "ceiling-plain", MANY_KINDS).orThrow();
    }
  }

  @Test
  void tryNoOtherCopyForASearchOverItsCeiling() {
    PluginPlacements.assumeOnAllNodes();
    try (TestBed bed = gateway(NODES, "max-buckets: 100000")) {
      RestReply refused = search(bed, "ceiling-wide", MONSTER);

      assertThat(refused.status()).as(refused.body()).isEqualTo(429);
      assertThat(refused.body())
          .contains(
              "\"request_ceiling\":\"buckets\"", "100001] buckets (expected: at most [100000");
      assertThat(
              JsonResponse.of(bed.admin().send("GET", "/routing").orThrow()).at("hedging.retries"))
          .isEqualTo(Map.of());
      assertNothingLeft(bed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ceiling-plain", "ceiling-slices"})
  void respondAsWithoutACeilingBelowIt(String index) {
    try (TestBed free = TestBed.inFrontOf(NODES.seeds());
        TestBed bound = gateway(NODES, "max-bytes: 100mb, max-buckets: 1000000")) {
      RestReply expected = search(free, index, MANY_KINDS).orThrow();
      RestReply response = search(bound, index, MANY_KINDS).orThrow();
      search(bound, index, "{\"profile\":true," + MANY_KINDS.strip().substring(1)).orThrow();

      assertThat(stable(response)).isEqualTo(stable(expected));
      assertNothingLeft(bound);
    }
  }

  private static String stable(RestReply reply) {
    return reply.body().replaceAll("\"took\":\\d+", "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ceiling-plain", "ceiling-slices"})
  void boundWhatAllShardsOfASearchHoldOnANode(String index) {
    PluginPlacements.assumeOnAllNodes();
    try (TestBed bed = gateway(NODES, "max-bytes: 12kb")) {
      RestReply refused = search(bed, index, MANY_KINDS);

      assertThat(refused.status()).as(refused.body()).isEqualTo(429);
      assertThat(refused.body()).contains("\"request_ceiling\":\"bytes\"");
      assertNothingLeft(bed);
    }
  }

  @Test
  void boundSortedHits() {
    PluginPlacements.assumeOnAllNodes();
    try (TestBed bed = gateway(NODES, "max-bytes: 20kb")) {
      String sorted = "{\"size\": %d, \"sort\": [\"key\", \"group\", {\"n\": \"desc\"}]}";
      search(bed, "ceiling-plain", sorted.formatted(5)).orThrow();

      RestReply refused = search(bed, "ceiling-plain", sorted.formatted(200));

      assertThat(refused.status()).as(refused.body()).isEqualTo(429);
      assertThat(refused.body()).contains("for [<top hits>]", "\"request_ceiling\":\"bytes\"");
      assertNothingLeft(bed);
    }
  }

  @Test
  void serveAsBeforeWithoutThePlugin() {
    DataNodeCluster stock = StockNodes.get();
    load(stock);
    try (TestBed bed = gateway(stock, "max-bytes: 1kb, max-buckets: 1")) {
      search(bed, "ceiling-plain", MANY_KINDS).orThrow();
      search(bed, "ceiling-slices", MANY_KINDS).orThrow();
    } finally {
      stock.rest().send("DELETE", "/ceiling-wide,ceiling-plain,ceiling-slices").orThrow();
    }
  }
}
