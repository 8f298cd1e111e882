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
 * Says which indices a state of the cluster keeps from being written.
 *
 * <p>Only blocks that an index's own settings make count: the version of the settings tells whether
 * they were gone meanwhile. Nothing of the kind tells it of blocks of the whole cluster.
 */
final class SealedIndexChecker {
  private SealedIndexChecker() {}

  /** Whether no node that has applied this state takes a write for the index. */
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

  /** Whether nodes fetch documents for it themselves, which no block of writes is known to end. */
  private static boolean isPullIngested(IndexMetadata index) {
    String source = index.getSettings().get(IndexMetadata.SETTING_INGESTION_SOURCE_TYPE);
    return source != null && !source.equals(IndexMetadata.NONE_INGESTION_SOURCE_TYPE);
  }

  /**
   * The nodes that have or are getting a copy of any of its shards.
   *
   * @param settled whether all copies must be in their place
   * @return null when some shard has no primary at work, or copies move that must not
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
