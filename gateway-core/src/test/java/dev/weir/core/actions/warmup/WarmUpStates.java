package dev.weir.core.actions.warmup;

import dev.weir.cluster.ClusterView;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodeRole;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.RecoverySource;
import org.opensearch.cluster.routing.RoutingTable;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.cluster.routing.UnassignedInfo;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** A cluster with one index of one shard, which a test changes. Confined to one thread. */
final class WarmUpStates {
  static final Index INDEX = new Index("warm", "uuid-of-warm");
  static final ShardId SHARD = new ShardId(INDEX, 0);

  private final Map<String, Integer> runs = new LinkedHashMap<>();
  private final List<ShardRouting> copies = new ArrayList<>();
  private String cluster = "one";
  private long version;

  WarmUpStates(String... nodes) {
    for (String node : nodes) {
      runs.put(node, 1);
    }
  }

  /** Adds a copy that initializes; the first one is the primary. */
  ShardRouting initialize(String node) {
    boolean primary = copies.isEmpty();
    ShardRouting copy =
        ShardRouting.newUnassigned(
                SHARD,
                primary,
                primary
                    ? RecoverySource.EmptyStoreRecoverySource.INSTANCE
                    : RecoverySource.PeerRecoverySource.INSTANCE,
                new UnassignedInfo(UnassignedInfo.Reason.INDEX_CREATED, "test"))
            .initialize(node, null, 0);
    copies.add(copy);
    return copy;
  }

  /** Adds a started copy; returns its allocation id. */
  String start(String node) {
    return start(initialize(node));
  }

  String start(ShardRouting initializing) {
    copies.remove(initializing);
    ShardRouting started = initializing.moveToStarted();
    copies.add(started);
    return started.allocationId().getId();
  }

  void removeCopies(String node) {
    copies.removeIf(copy -> node.equals(copy.currentNodeId()));
  }

  /** Restarts a node between two views: its copies are the same. */
  void restart(String node) {
    runs.merge(node, 1, Integer::sum);
  }

  void rebuildCluster() {
    cluster = "another";
  }

  ClusterView view() {
    version++;
    DiscoveryNodes.Builder nodes = DiscoveryNodes.builder();
    runs.forEach((node, run) ->
        nodes.add(
            new DiscoveryNode(
                node,
                node,
                node + "-" + run,
                "127.0.0.1",
                "127.0.0.1",
                new TransportAddress(InetAddress.getLoopbackAddress(), 9300 + node.charAt(0)),
                Map.of(),
                Set.of(DiscoveryNodeRole.DATA_ROLE),
                Version.CURRENT)));
    IndexMetadata index =
        IndexMetadata.builder(INDEX.getName())
            .settings(
                Settings.builder()
                    .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                    .put(IndexMetadata.SETTING_INDEX_UUID, INDEX.getUUID())
                    .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                    .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 1))
            .build();
    IndexShardRoutingTable.Builder shard = new IndexShardRoutingTable.Builder(SHARD);
    copies.forEach(shard::addShard);
    ClusterState state =
        ClusterState.builder(new ClusterName("test"))
            .version(version)
            .metadata(
                Metadata.builder()
                    .clusterUUID(cluster)
                    .clusterUUIDCommitted(true)
                    .put(index, false))
            .routingTable(
                RoutingTable.builder()
                    .add(IndexRoutingTable.builder(INDEX).addIndexShard(shard.build()).build())
                    .build())
            .nodes(nodes)
            .build();
    return new ClusterView(state, Map.of(), 0, false);
  }
}
