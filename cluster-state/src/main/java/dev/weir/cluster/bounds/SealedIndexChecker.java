package dev.weir.cluster.bounds;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlock;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.routing.IndexRoutingTable;
import org.opensearch.cluster.routing.IndexShardRoutingTable;
import org.opensearch.cluster.routing.ShardRouting;

/**
 * Determines which indices have a write block in a cluster state.
 *
 * <p>Only blocks from an index's own settings count, because the version of the settings shows
 * whether they were lifted in between. Blocks of the whole cluster have no such version.
 */
final class SealedIndexChecker {
  private SealedIndexChecker() {}

  /** Returns whether every node that has applied this state rejects writes to the index. */
  static boolean isSealed(ClusterState state, IndexMetadata index) {
    return index.getState() == IndexMetadata.State.OPEN
        && !isPullIngested(index)
        && (hasBlock(state, index, IndexMetadata.INDEX_WRITE_BLOCK)
            || hasBlock(state, index, IndexMetadata.INDEX_READ_ONLY_BLOCK)
            || hasBlock(state, index, IndexMetadata.INDEX_READ_ONLY_ALLOW_DELETE_BLOCK));
  }

  private static boolean hasBlock(ClusterState state, IndexMetadata index, ClusterBlock block) {
    boolean set =
        switch (block.id()) {
          case 5 -> IndexMetadata.INDEX_READ_ONLY_SETTING.get(index.getSettings());
          case 8 -> IndexMetadata.INDEX_BLOCKS_WRITE_SETTING.get(index.getSettings());
          default ->
              IndexMetadata.INDEX_BLOCKS_READ_ONLY_ALLOW_DELETE_SETTING.get(index.getSettings());
        };
    return set && state.blocks().hasIndexBlock(index.getIndex().getName(), block);
  }

  /**
   * Returns whether nodes pull documents for the index themselves; a write block may not stop that.
   */
  private static boolean isPullIngested(IndexMetadata index) {
    String source = index.getSettings().get(IndexMetadata.SETTING_INGESTION_SOURCE_TYPE);
    return source != null && !source.equals(IndexMetadata.NONE_INGESTION_SOURCE_TYPE);
  }

  /**
   * Returns the nodes that have or are getting a copy of any of its shards.
   *
   * @param settled whether all copies must be at their final node
   * @return null if a shard has no active primary, or if copies are moving although they must not
   */
  static @Nullable Set<String> nodesHolding(
      ClusterState state, IndexMetadata index, boolean settled) {
    IndexRoutingTable table = state.routingTable().index(index.getIndex());
    if (table == null || table.shards().size() != index.getNumberOfShards()) {
      return null;
    }
    Set<String> holders = new HashSet<>();
    for (IndexShardRoutingTable shard : table) {
      ShardRouting primary = shard.primaryShard();
      if (primary == null || !primary.active()) {
        return null;
      }
      for (ShardRouting copy : shard) {
        if (settled && (copy.initializing() || copy.relocating())) {
          return null;
        }
        if (copy.currentNodeId() != null) {
          holders.add(copy.currentNodeId());
        }
        if (copy.relocatingNodeId() != null) {
          holders.add(copy.relocatingNodeId());
        }
      }
    }
    return holders;
  }
}
