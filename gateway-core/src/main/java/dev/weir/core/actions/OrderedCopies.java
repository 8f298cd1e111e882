package dev.weir.core.actions;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import java.util.List;

/**
 * The copies of a shard in the order in which they are tried.
 *
 * @param nodes ids of the nodes with a copy, best first
 * @param free the first of them, where they are as good as each other to the request
 * @param notes who keeps what becomes of the shard
 */
record OrderedCopies(List<String> nodes, List<ShardCopy> free, ShardNotes notes) {
  static OrderedCopies fixed(List<String> nodes) {
    return new OrderedCopies(nodes, List.of(), ShardNotes.NONE);
  }
}
