package dev.weir.cluster;

import dev.weir.model.ShardCopy;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.Preference;
import org.opensearch.cluster.routing.ShardIterator;
import org.opensearch.cluster.routing.ShardRouting;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/**
 * Resolves the shard of a document and the copies that may answer, exactly as OpenSearch's {@code
 * OperationRouting.getShards} does. Pure; safe on any thread.
 */
public final class DocumentShardResolver {
  private static final String[] NO_NODES = {};

  private DocumentShardResolver() {}

  /**
   * Returns the shard of a document.
   *
   * @param routing the effective routing value; null for none
   */
  public static ShardId shardOf(
      ClusterView view, Index index, String id, @Nullable String routing) {
    return view.routing().shardId(view.state(), index.getName(), id, routing);
  }

  /**
   * Returns the shard of a document and the copies that may answer a read.
   *
   * @return null if a {@code _shards} preference excludes the document's shard
   * @throws IllegalArgumentException if a preference that a node rejects excludes it: no node could
   *     say what to answer
   */
  public static @Nullable ShardTarget readTarget(
      ClusterView view,
      Index index,
      String id,
      @Nullable String routing,
      @Nullable String preference) {
    ShardsPreference restricted = ShardsPreference.parse(preference);
    if (restricted != null) {
      if (readTarget(view, index, id, routing, restricted.shards()) == null) {
        int shard = shardOf(view, index, id, routing).id();
        throw new IllegalArgumentException(
            "got preference ["
                + preference
                + "] (expected: one with shard "
                + shard
                + ", which has the document)");
      }
      return readTarget(view, index, id, routing, restricted.custom());
    }
    return target(
        view,
        view.routing().getShards(view.state(), index.getName(), id, routing, preference),
        preference);
  }

  /**
   * Returns the copies of a shard that may answer a read; null if a preference excludes the shard.
   */
  public static @Nullable ShardTarget readTarget(
      ClusterView view, ShardId shard, @Nullable String preference) {
    ShardsPreference restricted = ShardsPreference.parse(preference);
    if (restricted != null) {
      return readTarget(view, shard, restricted.shards()) == null
          ? null
          : readTarget(view, shard, restricted.custom());
    }
    return target(
        view,
        view.routing().getShards(view.state(), shard.getIndexName(), shard.id(), preference),
        preference);
  }

  /**
   * Returns the preference that a get is routed with: realtime gets of segment-replicated indices
   * go to the primary.
   */
  public static @Nullable String effectivePreference(
      ClusterView view, Index index, boolean realtime, @Nullable String preference) {
    return realtime
            && preference == null
            && view.state().metadata().isSegmentReplicationEnabled(index.getName())
        ? Preference.PRIMARY.type()
        : preference;
  }

  /** Returns whether a preference is one that only the gateway takes. */
  public static boolean isRejectedByNodes(String preference) {
    return ShardsPreference.parse(preference) != null;
  }

  /** Returns the active primary, which writes go to; null while there is none. */
  public static @Nullable ShardCopy activePrimary(ClusterView view, ShardId shard) {
    IndexRoutingTable index = view.state().routingTable().index(shard.getIndex());
    IndexShardRoutingTable table =
        index == null || !index.getIndex().equals(shard.getIndex())
            ? null
            : index.shard(shard.id());
    ShardRouting primary = table == null ? null : table.primaryShard();
    return primary == null || !primary.active()
        ? null
        : CopyTierBuilder.toShardCopy(view.state().nodes(), primary);
  }

  /**
   * Returns the nodes that a write to each shard of an index involves, the active primary's first;
   * none for a shard without an active primary.
   */
  public static String[][] writeNodes(ClusterView view, IndexMetadata metadata) {
    IndexRoutingTable index = view.state().routingTable().index(metadata.getIndex());
    String[][] nodes = new String[metadata.getNumberOfShards()][];
    for (int shard = 0; shard < nodes.length; shard++) {
      IndexShardRoutingTable table = index == null ? null : index.shard(shard);
      nodes[shard] = table == null ? NO_NODES : writeNodes(table);
    }
    return nodes;
  }

  private static String[] writeNodes(IndexShardRoutingTable table) {
    ShardRouting primary = table.primaryShard();
    if (primary == null || !primary.active()) {
      return NO_NODES;
    }
    List<ShardRouting> copies = table.assignedShards();
    String[] nodes = new String[copies.size()];
    nodes[0] = primary.currentNodeId();
    int count = 1;
    for (ShardRouting copy : copies) {
      if (!copy.primary() && !copy.isSearchOnly()) {
        nodes[count++] = copy.currentNodeId();
      }
    }
    return count == nodes.length ? nodes : Arrays.copyOf(nodes, count);
  }

  private static @Nullable ShardTarget target(
      ClusterView view, @Nullable ShardIterator copies, @Nullable String preference) {
    return copies == null ? null : CopyTierBuilder.of(view, preference).buildTarget(copies);
  }
}
