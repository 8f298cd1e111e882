package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.JsonResponse;
import dev.weir.it.operations.OperatedNodes.Ended;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The nodes of a cluster with two zones restart zone by zone: node-1 and node-2 in zone a, node-3
 * in zone b. Clients read and write through a gateway; others search without one.
 */
@Drawn(oneIn = 3)
class ZonedRestartIT {
  private static final String INDEX = "zoned";
  private static final int DOCUMENTS = 100;
  private static final int SEARCHES = 30;
  private static final String WEIGHTS = "/_cluster/routing/awareness/zone/weights";

  @TempDir private Path folder;
  private final Map<String, Long> searchesOfDrained = new ConcurrentHashMap<>();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();

  private static NodeSpec zoned(NodeSpec node) {
    NodeSpec aware = node.withHeap("384m");
    return switch (node.name()) {
      case "node-1" -> in("a", aware.withRoles("cluster_manager", "data"));
      case "node-2" -> in("a", aware.withRoles("data"));
      case "node-3" -> in("b", aware.withRoles("cluster_manager", "data"));
      default -> in("c", aware.withRoles("cluster_manager"));
    };
  }

  private static NodeSpec in(String zone, NodeSpec node) {
    return node.withSetting("node.attr.zone", zone)
        .withSetting("cluster.routing.allocation.awareness.attributes", "zone");
  }

  @Test
  void restartZoneByZoneWithoutAFailedRequest() throws Exception {
    ClusterSpec spec = ClusterSpec.ofNodes(4).mapNodes(ZonedRestartIT::zoned);
    try (OperatedNodes nodes = new OperatedNodes(folder, spec);
        RestClient stock = new RestClient(nodes.cluster().node(3).httpUri())) {
      nodes.createIndex(INDEX, 1, DOCUMENTS);
      nodes.cluster().awaitGreen();
      assertThat(nodes.manager()).isEqualTo("node-1");
      boolean hasWeights = TestSeed.random(ZonedRestartIT.class).nextBoolean();
      if (hasWeights) {
        nodes.bed().rest().send("PUT", WEIGHTS, weights("3", "2")).orThrow();
      }
      Object weights = weightsIn(nodes.bed().rest().send("GET", WEIGHTS));
      assertThat(searches(List.of("node-1", "node-2"), stock)).as("before").isPositive();
      nodes
          .restarter()
          .addListener(node ->
              searchesOfDrained.put(
                  node.name(), searchesMeanwhile(node.name(), stock, !hasWeights)));
      String settings = nodes.settings();
      Map<String, String> starts = nodes.ephemeralIds();

      try (MixedLoad load = new MixedLoad(nodes.bed(), INDEX, DOCUMENTS)) {
        load.awaitMore(50);
        Ended ended =
            nodes.run(
                "rolling-restart",
                "--by-zone",
                "zone",
                "--max-unavailable",
                "2",
                "--exec",
                nodes.restartCommand(),
                "--ramp",
                "1s");
        load.awaitMore(50);
        load.stop();
        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(load.failures()).as("of %s requests", load.requests()).isEmpty();
        assertThat(ended.output())
            .contains(
                "node-3 (1 of 2)", "node-1, node-2 (2 of 2)", "manager moved from node-1", "done")
            .contains("nodes send zone a no searches", "nodes send zone b no searches");
        System.out.println(load.requests() + " requests; " + ended.output());
      }
      assertThat(nodes.runs()).as("the manager's zone is the last").hasSize(3);
      assertThat(nodes.runs().getFirst()).isEqualTo("node-3");
      Map<String, String> now = nodes.ephemeralIds();
      List.of("node-1", "node-2", "node-3")
          .forEach(name -> assertThat(now.get(name)).as(name).isNotEqualTo(starts.get(name)));
      assertThat(searchesOfDrained)
          .hasSize(3)
          .allSatisfy((name, count) ->
              assertThat(count).as("searches of nodes on drained " + name).isZero());
      assertThat(failures).as("searches without a gateway").isEmpty();
      assertThat(nodes.settings()).isEqualTo(settings);
      assertThat(weightsIn(nodes.bed().rest().send("GET", WEIGHTS))).isEqualTo(weights);
      nodes.assertFullWeights();
      assertThat(nodes.hasVotingExclusions()).isFalse();
      if (!hasWeights) {
        assertDecommissionRefused(nodes);
      }
    }
  }

  private static String weights(String a, String b) {
    return "{\"weights\":{\"a\":\"%s\",\"b\":\"%s\",\"c\":\"1\"},\"_version\":-1}".formatted(a, b);
  }

  /** Returns the weights; none if there never were any, and after they are removed. */
  private static Object weightsIn(RestReply reply) {
    return JsonResponse.of(reply.orThrow()).body().getOrDefault("weights", Map.of());
  }

  /**
   * Counts searches on a drained node; then searches with a preference that ignores weights. The
   * listener runs for several nodes at once: they go one after another, or that search would count.
   */
  private synchronized long searchesMeanwhile(String drained, RestClient stock, boolean named) {
    long count = searches(List.of(drained), stock);
    if (named) { // refused with weights of the operator's own, also before
      RestReply reply = stock.send("GET", "/" + INDEX + "/_search?preference=_prefer_nodes:none");
      if (reply.status() != 200) {
        failures.add("search that names nodes: " + reply);
      }
    }
    return count;
  }

  /** Returns how many queries of shards some nodes get when a node coordinates searches. */
  private long searches(List<String> names, RestClient stock) {
    long before = queries(stock, names);
    for (int i = 0; i < SEARCHES; i++) {
      RestReply reply = stock.send("GET", "/" + INDEX + "/_search?request_cache=false&q=n:" + i);
      if (reply.status() != 200 || JsonResponse.of(reply).number("_shards.failed") > 0) {
        failures.add("search: " + reply);
      }
    }
    return queries(stock, names) - before;
  }

  private static long queries(RestClient stock, List<String> names) {
    JsonResponse stats =
        JsonResponse.of(
            stock
                .send("GET", "/_nodes/" + String.join(",", names) + "/stats/indices/search")
                .orThrow());
    return ((Map<?, ?>) Objects.requireNonNull(stats.body().get("nodes")))
        .keySet().stream()
            .mapToLong(id -> stats.number("nodes." + id + ".indices.search.query_total"))
            .sum();
  }

  /** OpenSearch takes a zone out of service only after its weight is 0. */
  private static void assertDecommissionRefused(OperatedNodes nodes) {
    RestReply refused =
        nodes.bed().rest().send("PUT", "/_cluster/decommission/awareness/zone/b?no_delay=true");
    assertThat(refused.status()).as(refused.body()).isGreaterThanOrEqualTo(400);
    assertThat(refused.body()).contains("decommission");
  }
}
