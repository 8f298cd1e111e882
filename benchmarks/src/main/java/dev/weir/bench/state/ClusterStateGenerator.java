package dev.weir.bench.state;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.opensearch.Version;
import org.opensearch.action.admin.cluster.state.ClusterStateResponse;
import org.opensearch.cluster.ClusterName;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.coordination.CoordinationMetadata;
import org.opensearch.cluster.metadata.AliasMetadata;
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
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.settings.Settings;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.transport.TransportAddress;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.index.mapper.MapperService;

/**
 * Generates cluster states as a large logging cluster has them, with OpenSearch's own classes:
 * daily indices of many applications, each with a mapping, settings, an alias of its application,
 * and the allocation ids of its started copies. Confined to one thread.
 */
final class ClusterStateGenerator {
  /** One alias leads to the indices of this many days. */
  static final int DAYS = 30;

  private static final int FIELDS = 24;
  private static final int ID_BYTES = 16;

  private final Random random = new Random(1);
  private final ClusterSize size;
  private final List<String> nodeIds = new ArrayList<>();
  private int nextNode;

  /**
   * The size of a cluster.
   *
   * @param indices number of indices
   * @param shards primaries of each index
   * @param replicas replicas of each shard
   * @param nodes number of data nodes
   */
  record ClusterSize(int indices, int shards, int replicas, int nodes) {
    /** Parses {@code indices x shards x replicas on nodes}, such as {@code 5000x5x1@50}. */
    static ClusterSize parse(String text) {
      String[] parts = text.split("[x@]");
      return new ClusterSize(
          Integer.parseInt(parts[0]),
          Integer.parseInt(parts[1]),
          Integer.parseInt(parts[2]),
          Integer.parseInt(parts[3]));
    }

    /** Returns the number of primaries. */
    int primaries() {
      return indices * shards;
    }

    /** Returns the number of copies, primaries included. */
    int copies() {
      return primaries() * (1 + replicas);
    }
  }

  ClusterStateGenerator(ClusterSize size) {
    this.size = size;
  }

  /** Returns the name of an index. */
  static String indexName(int i) {
    return "logs-app%04d-2027.%02d".formatted(i / DAYS, i % DAYS + 1);
  }

  /** Returns the name of the alias of an application. */
  static String aliasName(int application) {
    return "logs-app%04d".formatted(application);
  }

  /** Generates a state. */
  ClusterState generate() {
    DiscoveryNodes.Builder nodes = DiscoveryNodes.builder();
    for (int i = 0; i < size.nodes(); i++) {
      DiscoveryNode node = node(i);
      nodes.add(node);
      nodeIds.add(node.getId());
    }
    nodes.clusterManagerNodeId(nodeIds.getFirst());
    Metadata.Builder metadata =
        Metadata.builder()
            .version(1)
            .clusterUUID(id())
            .clusterUUIDCommitted(true)
            .coordinationMetadata(CoordinationMetadata.builder().term(1).build());
    RoutingTable.Builder routing = RoutingTable.builder();
    for (int i = 0; i < size.indices(); i++) {
      IndexMetadata.Builder index = index(i);
      IndexRoutingTable table = routing(index);
      metadata.put(index.build(), false);
      routing.add(table);
    }
    return ClusterState.builder(new ClusterName("generated"))
        .version(1)
        .stateUUID(id())
        .metadata(metadata)
        .routingTable(routing.version(1).build())
        .nodes(nodes)
        .build();
  }

  /** Returns a state in which one shard's primary has moved to another node. */
  ClusterState move(ClusterState state, String index) {
    IndexRoutingTable table = state.routingTable().index(index);
    IndexRoutingTable.Builder changed = IndexRoutingTable.builder(table.getIndex());
    table
        .shards()
        .forEach((number, shard) -> changed.addIndexShard(number == 0 ? move(shard) : shard));
    return ClusterState.builder(state)
        .version(state.version() + 1)
        .stateUUID(id())
        .routingTable(
            RoutingTable.builder(state.routingTable())
                .add(changed.build())
                .version(state.routingTable().version() + 1)
                .build())
        .build();
  }

  private IndexShardRoutingTable move(IndexShardRoutingTable shard) {
    IndexShardRoutingTable.Builder moved = new IndexShardRoutingTable.Builder(shard.shardId());
    Set<String> used = new HashSet<>();
    shard.forEach(copy -> used.add(copy.currentNodeId()));
    for (ShardRouting copy : shard) {
      String target = nextNode();
      while (copy.primary() && used.contains(target)) {
        target = nextNode();
      }
      moved.addShard(
          copy.primary()
              ? copy.relocate(target, 0).getTargetRelocatingShard().moveToStarted()
              : copy);
    }
    return moved.build();
  }

  /** Returns a state in which one index's mapping has changed. */
  ClusterState changeMapping(ClusterState state, String index) {
    IndexMetadata before = state.metadata().index(index);
    return ClusterState.builder(state)
        .version(state.version() + 1)
        .stateUUID(id())
        .metadata(
            Metadata.builder(state.metadata())
                .version(state.metadata().version() + 1)
                .put(
                    IndexMetadata.builder(before)
                        .mappingVersion(before.getMappingVersion() + 1)
                        .putMapping(mapping("changed_" + state.version()))))
        .build();
  }

  /** Writes the response that has a state, as a node does. */
  static BytesArray write(ClusterState state) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      new ClusterStateResponse(state.getClusterName(), state, false).writeTo(out);
      return new BytesArray(BytesReference.toBytes(out.bytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes the response that has the routing of one index. */
  static BytesArray writeRouting(ClusterState state, String index) {
    return write(
        ClusterState.builder(state.getClusterName())
            .version(state.version())
            .stateUUID(state.stateUUID())
            .metadata(
                Metadata.builder()
                    .clusterUUID(state.metadata().clusterUUID())
                    .coordinationMetadata(state.coordinationMetadata()))
            .routingTable(RoutingTable.builder().add(state.routingTable().index(index)).build())
            .build());
  }

  private DiscoveryNode node(int i) {
    try {
      return new DiscoveryNode(
          "data-%03d".formatted(i),
          id(),
          new TransportAddress(
              InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i}), 9300),
          Map.of("zone", "zone-" + i % 3),
          Set.of(DiscoveryNodeRole.DATA_ROLE, DiscoveryNodeRole.CLUSTER_MANAGER_ROLE),
          Version.CURRENT);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private IndexMetadata.Builder index(int i) {
    String name = indexName(i);
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_INDEX_UUID, id())
                .put(IndexMetadata.SETTING_INDEX_PROVIDED_NAME, name)
                .put(IndexMetadata.SETTING_CREATION_DATE, 1_800_000_000_000L + i)
                .put("index.refresh_interval", "30s")
                .put("index.codec", "best_compression")
                .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, size.shards())
                .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, size.replicas()))
        .putMapping(mapping("message"))
        .putAlias(AliasMetadata.builder(aliasName(i / DAYS)));
  }

  private static MappingMetadata mapping(String last) {
    Map<String, Object> fields = new TreeMap<>();
    for (int i = 0; i < FIELDS; i++) {
      fields.put("field_%02d".formatted(i), Map.of("type", "keyword"));
    }
    fields.put(last, Map.of("type", "text"));
    return new MappingMetadata(MapperService.SINGLE_MAPPING_NAME, Map.of("properties", fields));
  }

  private IndexRoutingTable routing(IndexMetadata.Builder index) {
    Index id = index.build().getIndex();
    IndexRoutingTable.Builder table = IndexRoutingTable.builder(id);
    for (int shard = 0; shard < size.shards(); shard++) {
      ShardId shardId = new ShardId(id, shard);
      IndexShardRoutingTable.Builder copies = new IndexShardRoutingTable.Builder(shardId);
      Set<String> inSync = new HashSet<>();
      for (int copy = 0; copy <= size.replicas(); copy++) {
        ShardRouting started = started(shardId, copy == 0);
        copies.addShard(started);
        inSync.add(started.allocationId().getId());
      }
      index.putInSyncAllocationIds(shard, inSync);
      index.primaryTerm(shard, 1);
      table.addIndexShard(copies.build());
    }
    return table.build();
  }

  private ShardRouting started(ShardId shard, boolean primary) {
    return ShardRouting.newUnassigned(
            shard,
            primary,
            primary
                ? RecoverySource.EmptyStoreRecoverySource.INSTANCE
                : RecoverySource.PeerRecoverySource.INSTANCE,
            new UnassignedInfo(UnassignedInfo.Reason.INDEX_CREATED, "generated"))
        .initialize(nextNode(), null, 0)
        .moveToStarted();
  }

  private String nextNode() {
    return nodeIds.get(nextNode++ % nodeIds.size());
  }

  private String id() {
    byte[] bytes = new byte[ID_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
