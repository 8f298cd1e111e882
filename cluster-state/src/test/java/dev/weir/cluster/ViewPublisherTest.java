package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterStateReader.ReadResult;
import dev.weir.cluster.diff.SteppedState;
import dev.weir.cluster.read.BucketedMap;
import dev.weir.protocol.registry.OpenSearchRegistries;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.common.settings.ClusterSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.index.shard.ShardId;

final class ViewPublisherTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final IndexMetadata INDEX =
      ClusterStates.metadata("i", 1, 1, UnaryOperator.identity());

  private final ViewPublisher publisher =
      new ViewPublisher(
          GatewayNode.UNNAMED,
          new FakeCluster(REGISTRIES.writeables()),
          new NodeInfoCollector(
              new BlockingNodeCaller(Map.of()),
              new ClusterSettings(Settings.EMPTY, ClusterSettings.BUILT_IN_CLUSTER_SETTINGS),
              RestAddressFilter.OWN_NETWORK),
          new ClusterViewStore(ClusterView.empty(0)),
          () -> 0);

  private static IndexRoutingTable replicaOn(String node) {
    ShardId shard = new ShardId(INDEX.getIndex(), 0);
    return IndexRoutingTable.builder(INDEX.getIndex())
        .addIndexShard(
            new IndexShardRoutingTable.Builder(shard)
                .addShard(ClusterStates.started(shard, true, false, "n0"))
                .addShard(ClusterStates.started(shard, false, false, node))
                .build())
        .build();
  }

  private static ReadResult read(long version, IndexRoutingTable table) {
    ClusterState state = ClusterStates.ofNodes(3).index(INDEX, table).build(1, version);
    return new ReadResult(
        state, BucketedMap.copyOf(state.routingTable().indicesRouting()), Set.of());
  }

  private long version() {
    return publisher.view().state().version();
  }

  @Test
  void ignoreRoutingThatIsOlderThanTheWholeState() {
    IndexRoutingTable newest = replicaOn("n2");
    publisher.publish(read(5, newest));

    publisher.publishRouting(new StatePosition(1, 4), List.of(replicaOn("n1")));
    assertThat(publisher.view().state().routingTable().index("i")).isSameAs(newest);
    assertThat(publisher.view().hasNewerRouting()).isFalse();

    SteppedState before = publisher.steppedState();
    ClusterState step = ClusterState.builder(before.state()).version(6).stateUUID("6").build();
    publisher.publish(new ReadResult(step, before.routing(), Set.of()));
    assertThat(version()).isEqualTo(6);
    assertThat(publisher.view().routingEntries().get("i")).isSameAs(newest);
  }

  @Test
  void takeRoutingThatIsNewer() {
    publisher.publish(read(5, replicaOn("n2")));
    IndexRoutingTable newer = replicaOn("n1");

    publisher.publishRouting(new StatePosition(1, 6), List.of(newer));
    assertThat(publisher.view().routingEntries().get("i")).isSameAs(newer);
    assertThat(version()).isEqualTo(5);
    assertThat(publisher.view().hasNewerRouting()).isTrue();
  }

  /** A step from 5 to 8 has nothing of an index whose routing has changed and changed back. */
  @Test
  void applyStepsToTheStateWithoutNewerRouting() {
    IndexRoutingTable whole = replicaOn("n2");
    publisher.publish(read(5, whole));
    publisher.publishRouting(new StatePosition(1, 6), List.of(replicaOn("n1")));

    SteppedState before = publisher.steppedState();
    assertThat(before.state().routingTable().index("i")).isSameAs(whole);
    ClusterState step = ClusterState.builder(before.state()).version(8).stateUUID("8").build();
    publisher.publish(new ReadResult(step, before.routing(), Set.of()));
    assertThat(publisher.view().routingEntries().get("i")).isSameAs(whole);
    assertThat(publisher.view().state().routingTable().index("i")).isSameAs(whole);
    assertThat(publisher.view().hasNewerRouting()).isFalse();
  }

  @Test
  void takeAnEarlierStateOnlyInPlaceOfTheKnownOne() {
    publisher.publish(read(5, replicaOn("n2")));
    ClusterView known = publisher.view();
    publisher.publish(read(6, replicaOn("n2")));
    publisher.publishRouting(new StatePosition(1, 7), List.of(replicaOn("n1")));
    ReadResult earlier = read(3, replicaOn("n2"));

    publisher.publish(earlier);
    assertThat(publisher.publishSetback(earlier, known)).isFalse();
    assertThat(version()).isEqualTo(6);

    ClusterView last = publisher.view();
    assertThat(publisher.publishSetback(earlier, last)).isTrue();
    ClusterView first = publisher.view();
    assertThat(first.state().version()).isEqualTo(3);
    assertThat(first.hasNewerRouting()).isFalse();
    assertThat(first.isSameCluster(last)).isFalse();

    publisher.publish(read(4, replicaOn("n2")));
    assertThat(version()).isEqualTo(4);
    assertThat(publisher.view().isSameCluster(first)).isTrue();
  }
}
