package dev.weir.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlocks;
import org.opensearch.cluster.coordination.CoordinationMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.MappingMetadata;
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
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.mapper.MapperService;

/**
 * Builds cluster states with started shards spread over the nodes in turn. Confined to one thread.
 */
public final class ClusterStates {
  static final String CLUSTER_UUID = "cluster-uuid";

  private final Metadata.Builder metadata =
      Metadata.builder().clusterUUID(CLUSTER_UUID).clusterUUIDCommitted(true);
  private final List<IndexRoutingTable> tables = new ArrayList<>();
  private final DiscoveryNodes.Builder nodes = DiscoveryNodes.builder();
  private final ClusterBlocks.Builder blocks = ClusterBlocks.builder();
  private final List<String> dataNodes = new ArrayList<>();

  /** Starts with nodes n0, n1, ... in zones a, b, c in turn; n0 is the cluster manager. */
  public static ClusterStates ofNodes(int count) {
    ClusterStates states = new ClusterStates();
    for (int i = 0; i < count; i++) {
      states.nodes.add(node(i));
      states.dataNodes.add("n" + i);
    }
    states.nodes.clusterManagerNodeId("n0");
    return states;
  }

  static DiscoveryNode node(int i) {
    return node(i, "ephemeral-n" + i, 9301 + i);
  }

  /** Returns a node as one of its processes, at a port. */
  static DiscoveryNode node(int i, String ephemeralId, int port) {
    return new DiscoveryNode(
        "name-" + i,
        "n" + i,
        ephemeralId,
        "127.0.0.1",
        "127.0.0.1",
        new TransportAddress(java.net.InetAddress.getLoopbackAddress(), port),
        Map.of("zone", String.valueOf((char) ('a' + i % 3))),
        Set.of(DiscoveryNodeRole.DATA_ROLE, DiscoveryNodeRole.CLUSTER_MANAGER_ROLE),
        Version.CURRENT);
  }

  /** Returns a state in which the first nodes run as other processes. */
  static ClusterState restarted(ClusterState state, int count) {
    DiscoveryNodes.Builder nodes = DiscoveryNodes.builder(state.nodes());
    for (int i = 0; i < count; i++) {
      nodes.remove("n" + i).add(node(i, "restarted-n" + i, 9301 + i));
    }
    return ClusterState.builder(state).nodes(nodes).build();
  }

  Metadata.Builder metadata() {
    return metadata;
  }

  /** Returns the blocks so far. */
  public ClusterBlocks.Builder blocks() {
    return blocks;
  }

  /** Adds an index; shard s has its primary on node s, its replicas on the nodes after it. */
  public ClusterStates index(String name, int shards, int replicas) {
    return index(name, shards, replicas, UnaryOperator.identity());
  }

  /** Adds an index with more parts. */
  public ClusterStates index(
      String name, int shards, int replicas, UnaryOperator<IndexMetadata.Builder> more) {
    IndexMetadata index = metadata(name, shards, replicas, more);
    IndexRoutingTable.Builder table = IndexRoutingTable.builder(index.getIndex());
    for (int shard = 0; shard < index.getNumberOfShards(); shard++) {
      ShardId id = new ShardId(index.getIndex(), shard);
      IndexShardRoutingTable.Builder copies = new IndexShardRoutingTable.Builder(id);
      copies.addShard(started(id, true, false, dataNodes.get(shard % dataNodes.size())));
      for (int replica = 1; replica <= replicas; replica++) {
        String node = dataNodes.get((shard + replica) % dataNodes.size());
        copies.addShard(started(id, false, false, node));
      }
      for (int search = 1; search <= index.getNumberOfSearchOnlyReplicas(); search++) {
        String node = dataNodes.get((shard + replicas + search) % dataNodes.size());
        copies.addShard(started(id, false, true, node));
      }
      table.addIndexShard(copies.build());
    }
    return index(index, table.build());
  }

  ClusterStates index(IndexMetadata index, IndexRoutingTable table) {
    metadata.put(index, false);
    tables.add(table);
    return this;
  }

  static IndexMetadata metadata(
      String name, int shards, int replicas, UnaryOperator<IndexMetadata.Builder> more) {
    return more.apply(
            IndexMetadata.builder(name)
                .settings(
                    Settings.builder()
                        .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                        .put(IndexMetadata.SETTING_INDEX_UUID, "uuid-of-" + name)
                        .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, shards)
                        .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, replicas)))
        .build();
  }

  /** Returns a mapping of one keyword field. */
  static MappingMetadata mapping(String field) {
    return new MappingMetadata(
        MapperService.SINGLE_MAPPING_NAME,
        Map.of("properties", Map.of(field, Map.of("type", "keyword"))));
  }

  /** Adds settings to an index under construction. */
  public static UnaryOperator<IndexMetadata.Builder> with(String key, Object value) {
    return index -> {
      Settings now = index.build().getSettings();
      return index.settings(Settings.builder().put(now).put(key, String.valueOf(value)));
    };
  }

  static ShardRouting initializing(ShardId id, boolean primary, boolean searchOnly, String node) {
    return ShardRouting.newUnassigned(
            id,
            primary,
            searchOnly,
            primary
                ? RecoverySource.EmptyStoreRecoverySource.INSTANCE
                : RecoverySource.PeerRecoverySource.INSTANCE,
            new UnassignedInfo(UnassignedInfo.Reason.INDEX_CREATED, "test"))
        .initialize(node, null, 0);
  }

  static ShardRouting started(ShardId id, boolean primary, boolean searchOnly, String node) {
    return initializing(id, primary, searchOnly, node).moveToStarted();
  }

  /** Builds the state at a position. */
  public ClusterState build(long term, long version) {
    metadata
        .version(version)
        .coordinationMetadata(CoordinationMetadata.builder().term(term).build());
    RoutingTable.Builder routing = RoutingTable.builder();
    tables.forEach(routing::add);
    return ClusterState.builder(new ClusterName("test"))
        .version(version)
        .stateUUID("state-" + term + "-" + version)
        .metadata(metadata)
        .routingTable(routing.version(version).build())
        .nodes(nodes)
        .blocks(blocks)
        .build();
  }

  public ClusterView view() {
    return new ClusterView(build(1, 1), Map.of(), 0, false);
  }
}
