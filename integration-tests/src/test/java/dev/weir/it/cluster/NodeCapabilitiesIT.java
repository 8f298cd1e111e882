package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.junit.Drawn;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A gateway in front of nodes that get and lose the plugin one after the other. */
@Drawn(oneIn = 2)
class NodeCapabilitiesIT {
  private static @Nullable DataNodeCluster cluster;
  private static @Nullable TestBed gateway;

  @BeforeAll
  static void start() {
    ClusterSpec spec =
        new ClusterSpec(
            "weir-mixed",
            List.of(NodeSpec.of("with"), NodeSpec.of("without").withoutPlugins()),
            PortPlan.ANY_FREE,
            null,
            true,
            line -> {});
    cluster = DataNodeCluster.start(spec);
    gateway =
        TestBed.withSections(cluster.seeds(), "search: {time-pruning: {indices: [\"timed-*\"]}}");
  }

  @AfterAll
  static void stop() {
    try (DataNodeCluster nodes = cluster;
        TestBed bed = gateway) {
      assertThat(nodes).isNotNull();
      assertThat(bed).isNotNull();
    }
  }

  private static List<DataNode> nodes() {
    return Objects.requireNonNull(cluster).nodes();
  }

  private static TestBed bed() {
    return Objects.requireNonNull(gateway);
  }

  @Test
  void learnTheLoadOfTheNodesThatReportIt() throws Exception {
    // the other test leaves the plugin on the other node
    Map<Boolean, DataNode> nodes =
        nodes().stream()
            .collect(
                Collectors.toMap(
                    node -> node.spec().plugins().contains(NodePlugin.WEIR), Function.identity()));
    DataNode with = Objects.requireNonNull(nodes.get(true));
    DataNode without = Objects.requireNonNull(nodes.get(false));
    awaitPlugin(bed(), with, true);
    awaitPlugin(bed(), without, false);
    LoadFeedbackCheck.run(bed(), with, without);
  }

  @Test
  void followsTheNodesThroughUpgradesAndDowngrades() throws Exception {
    TestBed bed = bed();
    DataNode with = nodes().getFirst();
    DataNode without = nodes().getLast();
    awaitPlugin(bed, with, true);
    awaitPlugin(bed, without, false);
    assertThat(bed.admin().send("GET", "/metrics").body())
        .containsOnlyOnce("weir_node_plugin_info{")
        .contains("node=\"" + with.id() + "\"");

    leavesOutShardsOnTheNodeWithThePlugin(Objects.requireNonNull(cluster), with, bed);

    without.restart(node -> node.withPlugin(NodePlugin.WEIR));
    awaitPlugin(bed, without, true);
    with.restart(NodeSpec::withoutPlugins);
    awaitPlugin(bed, with, false);
    awaitPlugin(bed, without, true);
    assertThat(Files.readString(with.log())).doesNotContain("cluster:monitor/weir");
  }

  /** Waits until a node's answer shows whether it has the plugin. */
  private static void awaitPlugin(TestBed bed, DataNode node, boolean expected) {
    Await.untilValue(
        node.name() + " with the plugin: " + expected,
        () -> row(bed, node),
        row ->
            row.get("plugin_version") instanceof String version && version.isEmpty() != expected);
  }

  private static Map<String, Object> row(TestBed bed, DataNode node) {
    return JsonResponse.of(bed.admin().send("GET", "/stats")).objects("nodes").stream()
        .filter(row -> node.id().equals(row.get("node")))
        .findFirst()
        .orElse(Map.of());
  }

  /** Each node has one copy of each of three shards. */
  private static void leavesOutShardsOnTheNodeWithThePlugin(
      DataNodeCluster nodes, DataNode with, TestBed bed) {
    nodes
        .rest()
        .send(
            "PUT",
            "/timed-1?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":3,\"number_of_replicas\":1,"
                + "\"refresh_interval\":-1},"
                + "\"mappings\":{\"properties\":{\"@timestamp\":{\"type\":\"date\"}}}}")
        .orThrow();
    StringBuilder lines = new StringBuilder();
    for (int n = 0; n < 30; n++) {
      lines.append("{\"index\":{}}\n{\"@timestamp\":\"2026-01-01\"}\n");
    }
    nodes
        .rest()
        .bulk("/timed-1/_bulk?refresh=true", lines.toString().getBytes(StandardCharsets.UTF_8))
        .orThrow();
    Await.untilValue(
        "the copies on one node",
        () -> bed.admin().send("GET", "/stats").orThrow().body(),
        stats -> stats.contains("\"known_copies\": 3") || stats.contains("\"known_copies\":3"));
    String path = "/timed-1/_search?preference=_prefer_nodes:" + with.id();
    String search = "{\"query\":{\"range\":{\"@timestamp\":{\"gte\":\"%s\"}}}}";
    Await.untilValue(
        "a search that leaves out shards",
        () -> {
          assertThat(bed.rest().send("POST", path, search.formatted("2026-01-01")).body())
              .contains("\"total\":3,\"successful\":3", "\"value\":30,");
          RestReply none = bed.rest().send("POST", path, search.formatted("2027-01-01"));
          assertThat(none.body()).contains("\"total\":3,\"successful\":3", "\"value\":0,");
          return none.body();
        },
        body -> body.contains("\"skipped\":2"));
    nodes.rest().send("DELETE", "/timed-1").orThrow();
  }
}
