package dev.weir.it.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.JsonResponse;
import dev.weir.it.operations.OperatedNodes.Ended;
import dev.weir.testkit.junit.Drawn;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every node of a cluster restarts while clients read and write, and none of them notices. */
@Drawn(oneIn = 6)
class RollingRestartIT {
  private static final String INDEX = "rolling";
  private static final int DOCUMENTS = 200;

  @TempDir private Path folder;

  @Test
  void restartAllNodesWithoutAFailedRequest() throws Exception {
    try (OperatedNodes nodes = new OperatedNodes(folder)) {
      nodes.createIndex(INDEX, 1, DOCUMENTS);
      nodes.cluster().awaitGreen();
      nodes
          .bed()
          .rest()
          .send(
              "PUT",
              "/_cluster/settings",
              "{\"persistent\":{\"cluster.routing.allocation.enable\":\"all\"},"
                  + "\"transient\":{\"indices.recovery.max_bytes_per_sec\":\"60mb\"}}")
          .orThrow();
      String settings = nodes.settings();
      String manager = nodes.manager();
      Map<String, String> starts = nodes.ephemeralIds();
      try (MixedLoad load = new MixedLoad(nodes.bed(), INDEX, DOCUMENTS)) {
        load.awaitMore(100);
        Ended ended =
            nodes.run("rolling-restart", "--exec", nodes.restartCommand(), "--ramp", "2s");
        load.awaitMore(100);
        load.stop();

        assertThat(ended.status()).as(ended.output()).isZero();
        assertThat(load.failures()).as("of %s requests", load.requests()).isEmpty();
        assertThat(ended.output()).contains("3 of 3", "manager moved from " + manager, "remain");
        assertThat(nodes.runs()).hasSize(3).doesNotHaveDuplicates();
        assertThat(nodes.runs().getLast()).as("the manager is the last").isEqualTo(manager);
        assertThat(nodes.settings()).isEqualTo(settings);
        nodes.assertFullWeights();
        assertThat(nodes.hasVotingExclusions()).isFalse();
        Map<String, String> now = nodes.ephemeralIds();
        starts.forEach((name, id) -> assertThat(now.get(name)).as(name).isNotEqualTo(id));
        assertAllThere(nodes, load.acknowledged());
      }
    }
  }

  private static void assertAllThere(OperatedNodes nodes, List<String> ids) {
    nodes.bed().rest().send("POST", "/" + INDEX + "/_refresh").orThrow();
    assertThat(
            JsonResponse.of(nodes.bed().rest().send("GET", "/" + INDEX + "/_count").orThrow())
                .number("count"))
        .as("documents, of which %s acknowledged", ids.size())
        .isGreaterThanOrEqualTo(DOCUMENTS + ids.size());
    for (int i = 0; i < ids.size(); i += Math.max(1, ids.size() / 100)) {
      nodes.bed().rest().send("GET", "/" + INDEX + "/_doc/" + ids.get(i)).orThrow();
    }
  }
}
