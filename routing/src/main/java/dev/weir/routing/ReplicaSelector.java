package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.List;

/** Puts the copies of a shard in the order in which they should be tried. Safe on any thread. */
public interface ReplicaSelector {
  /**
   * A whole ordered plan, best first; initializing copies last.
   *
   * @param copies the shard's copies, in any order; not changed
   * @return a new list of the same copies
   */
  List<ShardCopy> order(List<ShardCopy> copies, Phase phase);
}
