package dev.weir.core.actions;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.List;

/**
 * The copies of a shard in the order in which they are tried.
 *
 * @param nodeIds ids of the nodes with a copy, best first
 * @param interchangeable the first of them, where they are as good as each other to the request
 * @param notes who keeps what becomes of the shard
 */
record OrderedCopies(
    List<String> nodeIds, List<ShardCopy> interchangeable, ShardRoutingRecorder notes) {
  static OrderedCopies ofFixedOrder(List<String> nodes) {
    return new OrderedCopies(nodes, List.of(), ShardRoutingRecorder.NONE);
  }
}
