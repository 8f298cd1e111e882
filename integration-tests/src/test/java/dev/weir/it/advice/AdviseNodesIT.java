package dev.weir.it.advice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.MendStep;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.NodePlugin;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.junit.TestSuite;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Advice that only the configuration of a node follows. */
class AdviseNodesIT {
  @Test
  void findMissingManagersAndPlugins() {
    assumeTrue(TestSuite.IS_WHOLE, "two more clusters take minutes; -Dweir.suite=all runs it");
    ClusterSpec whole = AdvisedCluster.threeNodes();
    List<NodeSpec> nodes =
        List.of(
            whole.nodes().get(0),
            whole.nodes().get(1),
            whole.nodes().get(2).withRoles("data", "ingest").withoutPlugins());
    ClusterSpec spec =
        new ClusterSpec(
            "weir-two-managers",
            nodes,
            whole.ports(),
            whole.folder(),
            whole.usesAotCache(),
            whole.progress());
    try (AdvisedCluster cluster = new AdvisedCluster(spec)) {
      Finding managers =
          cluster.await("manager-nodes", "cluster", "2 of 3 nodes may be cluster manager");
      Finding plugins =
          cluster.advice().findings().stream()
              .filter(one -> one.check().equals("plugins"))
              .findFirst()
              .orElseThrow();
      assertThat(plugins.figure()).startsWith("1 of 3 nodes lack it: node-3");
      assertThat(plugins.mend().steps())
          .containsExactly(
              new MendStep.Command(
                  "bin/opensearch-plugin install file:///path/to/weir-data-node.zip"));
      assertThat(managers.mend().steps())
          .containsExactly(new MendStep.NodeSetting("node.roles: [cluster_manager, data, ingest]"));
      cluster
          .nodes()
          .node(2)
          .restart(node ->
              node.withRoles("cluster_manager", "data", "ingest").withOnly(NodePlugin.WEIR));
      cluster.awaitGone(cluster.gateway(), managers);
      cluster.awaitGone(cluster.gateway(), plugins);
    }
  }
}
