package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.Arrays;
import java.util.List;

/** Puts the copies of a shard in the order in which they should be tried. Safe on any thread. */
@FunctionalInterface
public interface ReplicaSelector {
  /**
   * Puts copies in order in place, best first; initializing copies last. Allocates nothing.
   *
   * @param copies the first {@code count} are the shard's copies, in any order
   */
  void order(ShardCopy[] copies, int count, Phase phase);

  /**
   * A whole ordered plan, best first; initializing copies last.
   *
   * @param copies the shard's copies, in any order; not changed
   * @return a new list of the same copies
   */
  default List<ShardCopy> order(List<ShardCopy> copies, Phase phase) {
    ShardCopy[] ordered = copies.toArray(new ShardCopy[0]);
    order(ordered, ordered.length, phase);
    return Arrays.asList(ordered);
  }

  /**
   * Why copies would be put in which order now. Takes no turn and no probe; leaves out chance.
   *
   * @return every copy, best first
   */
  default Explanation explain(List<ShardCopy> copies, Phase phase) {
    return Explanations.inOrder("", order(copies, phase), phase, "as the selector orders");
  }
}
