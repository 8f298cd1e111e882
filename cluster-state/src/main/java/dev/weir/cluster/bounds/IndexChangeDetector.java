package dev.weir.cluster.bounds;

import dev.weir.cluster.read.Identity;
import java.util.Objects;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.block.ClusterBlocks;

/**
 * Detects indices that changed between two states. States share the metadata and the routing of
 * indices that did not change, so that it takes only look-ups.
 */
final class IndexChangeDetector {
  private IndexChangeDetector() {}

  /** Returns whether the metadata, the routing or the blocks of an index may have changed. */
  static boolean isChanged(ClusterState before, ClusterState now, String index) {
    return !Identity.isSame(before.metadata().index(index), now.metadata().index(index))
        || !Identity.isSame(before.routingTable().index(index), now.routingTable().index(index))
        || !hasSameBlocks(before.blocks(), now.blocks(), index);
  }

  private static boolean hasSameBlocks(ClusterBlocks before, ClusterBlocks now, String index) {
    return Identity.isSame(before, now)
        || Objects.equals(before.indices().get(index), now.indices().get(index));
  }
}
