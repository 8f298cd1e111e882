package dev.weir.core.actions.copies;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.List;

/**
 * The copies of a shard in the order in which they are tried.
 *
 * @param nodeIds ids of the nodes with a copy, best first
 * @param interchangeable the first copies, as far as they are equally good for the request
 * @param notes records the attempts at the shard
 */
public record OrderedCopies(
    List<String> nodeIds, List<ShardCopy> interchangeable, ShardRoutingRecorder notes) {
  static OrderedCopies ofFixedOrder(List<String> nodes) {
    return new OrderedCopies(nodes, List.of(), ShardRoutingRecorder.NONE);
  }
}
