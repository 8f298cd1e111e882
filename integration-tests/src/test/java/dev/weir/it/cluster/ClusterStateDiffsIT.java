package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.it.TestBed;
import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;

/**
 * A gateway that follows a cluster of nodes with and without the plugin by the changes of its
 * state, and one that reads whole states.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Drawn(oneIn = 2)
class ClusterStateDiffsIT {
  private static final int CHANGES = 24;

  private final DataNodeCluster nodes =
      DataNodeCluster.start(
          new ClusterSpec(
              "weir-diffs",
              List.of(
                  NodeSpec.of("without").withoutPlugins(), NodeSpec.of("one"), NodeSpec.of("two")),
              PortPlan.ANY_FREE,
              null,
              true,
              line -> {}));
  private final FollowedCluster followed = new FollowedCluster(nodes.seeds(), TestBed.registries());
  private final FollowedCluster read =
      new FollowedCluster(nodes.seeds(), TestBed.registries(), PollingConnector::new);

  @AfterAll
  void close() {
    try (nodes;
        followed) {
      read.close();
    }
  }

  @Test
  void hasTheSameViewsAsAGatewayThatReadsWholeStates() throws Exception {
    RandomClusterChanges changes =
        new RandomClusterChanges(
            nodes.rest(), new Random(TestSeed.random(ClusterStateDiffsIT.class).nextLong()));
    DataNode first = awaitDiffNode();
    long wholeReads = followed.follower().readCounts().wholeReads();
    for (int i = 0; i < CHANGES; i++) {
      changes.next(nodes.nodes());
    }
    awaitNewest();
    assertThat(followed.follower().readCounts().diffs()).isGreaterThan(CHANGES / 2);
    assertThat(followed.follower().readCounts().wholeReads() - wholeReads).isLessThan(3);
    assertThat(read.follower().readCounts().diffs()).isZero();

    first.kill();
    DataNode second = awaitDiffNode(first);
    assertThat(List.of("one", "two")).contains(first.name(), second.name());
    for (int i = 0; i < CHANGES / 4; i++) {
      changes.next(nodes.nodes());
    }
    first.start();
    for (int i = 0; i < CHANGES / 4; i++) {
      changes.next(nodes.nodes());
    }
    awaitNewest();
    assertThat(compareViews()).as("states that both have seen").isGreaterThan(5);
  }

  private DataNode awaitDiffNode(DataNode... others) {
    String id =
        Await.untilValue(
            "a followed node",
            () -> Objects.requireNonNullElse(followed.follower().diffNode(), ""),
            found ->
                !found.isEmpty()
                    && List.of(others).stream().noneMatch(node -> node.id().equals(found)));
    return nodes.nodes().stream().filter(node -> node.id().equals(id)).findFirst().orElseThrow();
  }

  /** Waits until both have the newest state of a cluster that no longer changes. */
  private void awaitNewest() throws InterruptedException {
    nodes.rest().send("GET", "/_cluster/health?wait_for_no_initializing_shards=true").orThrow();
    JsonResponse state =
        JsonResponse.of(nodes.rest().send("GET", "/_cluster/state/version").orThrow());
    long version = state.number("version");
    followed.await(view -> view.state().version() >= version);
    read.await(view -> view.state().version() >= version);
    Await.untilValue(
        "the same state",
        () ->
            read.follower().current().state().stateUUID()
                + followed.follower().current().state().stateUUID(),
        any ->
            read.follower()
                .current()
                .state()
                .stateUUID()
                .equals(followed.follower().current().state().stateUUID()));
    assertSame(followed.follower().current().state(), read.follower().current().state());
  }

  private int compareViews() {
    Map<String, ClusterView> byUuid = new HashMap<>();
    for (ClusterView view : read.seen()) {
      if (!view.hasNewerRouting()) {
        byUuid.put(view.state().stateUUID(), view);
      }
    }
    int compared = 0;
    for (ClusterView view : followed.seen()) {
      ClusterView other = byUuid.get(view.state().stateUUID());
      if (other != null && !view.hasNewerRouting()) {
        assertSame(view.state(), other.state());
        compared++;
      }
    }
    return compared;
  }

  /** Returns the nodes without the gateway. */
  private static Map<String, DiscoveryNode> members(ClusterState state) {
    Map<String, DiscoveryNode> members = new HashMap<>(state.nodes().getNodes());
    members.remove(state.nodes().getLocalNodeId());
    return members;
  }

  /** Returns the routing of each index in words: two failures of an allocation are never equal. */
  private static Map<String, String> routing(ClusterState state) {
    Map<String, String> routing = new HashMap<>();
    state
        .routingTable()
        .indicesRouting()
        .forEach((index, table) -> routing.put(index, table.toString()));
    return routing;
  }

  private static void assertSame(ClusterState actual, ClusterState expected) {
    assertThat(actual.version()).isEqualTo(expected.version());
    assertThat(actual.term()).isEqualTo(expected.term());
    assertThat(routing(actual)).isEqualTo(routing(expected));
    assertThat(members(actual)).isEqualTo(members(expected));
    assertThat(actual.nodes().getClusterManagerNodeId())
        .isEqualTo(expected.nodes().getClusterManagerNodeId());
    assertThat(actual.blocks().global()).isEqualTo(expected.blocks().global());
    assertThat(actual.blocks().indices()).isEqualTo(expected.blocks().indices());
    Metadata metadata = actual.metadata();
    Metadata other = expected.metadata();
    assertThat(metadata.version()).isEqualTo(other.version());
    assertThat(metadata.clusterUUID()).isEqualTo(other.clusterUUID());
    assertThat(metadata.coordinationMetadata()).isEqualTo(other.coordinationMetadata());
    assertThat(metadata.settings()).isEqualTo(other.settings());
    assertThat(metadata.templates()).isEqualTo(other.templates());
    assertThat(metadata.customs()).isEqualTo(other.customs());
    assertThat(metadata.indices()).isEqualTo(other.indices());
    for (IndexMetadata index : metadata.indices().values()) {
      IndexMetadata same = other.index(index.getIndex());
      assertThat(index.getVersion()).isEqualTo(same.getVersion());
      assertThat(index.getInSyncAllocationIds()).isEqualTo(same.getInSyncAllocationIds());
    }
    assertThat(metadata.getIndicesLookup().keySet()).isEqualTo(other.getIndicesLookup().keySet());
  }
}
