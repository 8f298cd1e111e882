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
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A gateway in front of nodes that get and lose the plugin one after the other. */
class NodeCapabilitiesIT {
  @Test
  void followsTheNodesThroughUpgradesAndDowngrades() throws Exception {
    ClusterSpec spec =
        new ClusterSpec(
            "weir-mixed",
            List.of(NodeSpec.of("with"), NodeSpec.of("without").withoutPlugins()),
            PortPlan.ANY_FREE,
            null,
            true,
            line -> {});
    try (DataNodeCluster nodes = DataNodeCluster.start(spec);
        TestBed bed = TestBed.inFrontOf(nodes.seeds())) {
      DataNode with = nodes.nodes().getFirst();
      DataNode without = nodes.nodes().getLast();
      awaitPlugin(bed, with, true);
      awaitPlugin(bed, without, false);
      assertThat(bed.admin().send("GET", "/metrics").body())
          .containsOnlyOnce("weir_node_plugin_info{")
          .contains("node=\"" + with.id() + "\"");

      without.restart(node -> node.withPlugin(NodePlugin.WEIR));
      awaitPlugin(bed, without, true);
      with.restart(NodeSpec::withoutPlugins);
      awaitPlugin(bed, with, false);
      awaitPlugin(bed, without, true);
      assertThat(Files.readString(with.log())).doesNotContain("cluster:monitor/weir");
    }
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
}
