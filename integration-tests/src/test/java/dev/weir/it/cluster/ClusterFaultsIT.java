package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.model.NodeEndpoint;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.junit.Drawn;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each test leaves the cluster with all its nodes running and green. */
@Drawn(oneIn = 3)
class ClusterFaultsIT {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static DataNodeCluster nodes;

  @BeforeAll
  static void startNodes() {
    nodes = DataNodeCluster.start(ClusterSpec.ofNodes(3).withName("weir-faults"));
    nodes
        .rest()
        .send(
            "PUT",
            "/kept?wait_for_active_shards=all",
            "{\"settings\":{\"number_of_shards\":2,\"number_of_replicas\":2}}")
        .orThrow();
  }

  @AfterAll
  static void endNodes() {
    nodes.close();
  }

  @Test
  void findTheClusterDespiteDeadSeeds() throws Exception {
    List<String> seeds =
        List.of("127.0.0.1:1", "no-such-host.invalid", nodes.node(2).transportAddress());
    try (FollowedCluster followed = new FollowedCluster(seeds, REGISTRIES)) {
      ClusterView view =
          followed.await(seen ->
              seen.nodes().size() == 3
                  && seen.nodes().values().stream().allMatch(node -> node.http() != null));

      assertThat(view.nodes().values())
          .extracting(node -> node.http() == null ? 0 : node.http().getPort())
          .containsExactlyInAnyOrder(
              nodes.node(0).httpPort(), nodes.node(1).httpPort(), nodes.node(2).httpPort());
      followed.awaitStatus(status -> status.nodes().connected() == 3);
    }
  }

  @Test
  void noticesANodeThatDiesAndComesBack() throws Exception {
    try (FollowedCluster followed = new FollowedCluster(nodes.seeds(), REGISTRIES)) {
      ClusterView before = followed.await(view -> view.nodes().size() == 3);
      String id = nodes.node(1).id();

      nodes.node(1).kill();
      followed.await(view -> !view.nodes().containsKey(id));
      nodes.node(1).start();
      ClusterView after = followed.await(view -> httpKnown(view.nodes().get(id)));

      assertThat(after.nodes().get(id))
          .extracting(node -> node == null ? "gone" : node.ephemeralId())
          .isNotEqualTo(Objects.requireNonNull(before.nodes().get(id)).ephemeralId());
      followed.awaitStatus(
          status -> status.nodes().connected() == 3 && status.errors().lastError() == null);
    } finally {
      nodes.restore();
    }
  }

  @Test
  void keepsTheLastViewWithoutAClusterManagerAndWithoutAnyNode() throws Exception {
    try (FollowedCluster followed = new FollowedCluster(nodes.seeds(), REGISTRIES)) {
      followed.await(view -> view.nodes().size() == 3);

      nodes.node(0).kill();
      nodes.node(1).kill();
      followed.awaitStatus(status -> !status.nodes().hasClusterManager());
      assertThat(followed.follower().current().state().blocks().global()).isNotEmpty();
      assertThat(followed.follower().current().state().metadata().hasIndex("kept")).isTrue();

      nodes.node(2).kill();
      followed.awaitStatus(status -> status.errors().lastError() != null);
      assertThat(followed.follower().current().state().metadata().hasIndex("kept")).isTrue();
      assertThat(followed.follower().status().nodes().known()).isEqualTo(3);

      List<Thread> starts =
          Stream.of(0, 1, 2)
              .map(i -> Thread.ofVirtual().start(() -> nodes.node(i).start()))
              .toList();
      for (Thread start : starts) {
        start.join();
      }
      followed.await(view ->
          view.state().nodes().getClusterManagerNodeId() != null
              && view.state().blocks().global().isEmpty()
              && view.state().routingTable().index("kept").allPrimaryShardsActive());
      followed.awaitStatus(status -> status.errors().lastError() == null);
    } finally {
      nodes.restore();
    }
  }

  private static boolean httpKnown(@Nullable NodeEndpoint node) {
    return node != null && node.http() != null;
  }
}
