package dev.weir.routing;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.weight.NodeWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Copies of a shard in groups: on nodes that take part in a choice, on nodes that have lost the
 * draw, on drained nodes. Each group keeps the order of the copies.
 *
 * @param groups these three; without initializing copies
 * @param initializing the copies that only serve when no other does
 */
record WeightGroups(List<List<ShardCopy>> groups, List<ShardCopy> initializing) {
  /** The position of the drained nodes among the groups. */
  private static final int DRAINED = 2;

  /** Groups copies for one choice: draws for each node of a partial weight. */
  static WeightGroups draw(List<ShardCopy> copies, NodeWeights weights) {
    return group(copies, weights, weights::drawsIn);
  }

  /** Groups copies for display, without a draw: nodes of a partial weight take part. */
  static WeightGroups expected(List<ShardCopy> copies, NodeWeights weights) {
    return group(copies, weights, copy -> weights.ofCopy(copy) > 0);
  }

  private static WeightGroups group(
      List<ShardCopy> copies, NodeWeights weights, Predicate<ShardCopy> takesPart) {
    List<ShardCopy> taking = new ArrayList<>(copies.size());
    List<ShardCopy> others = new ArrayList<>(1);
    List<ShardCopy> drained = new ArrayList<>(1);
    List<ShardCopy> initializing = new ArrayList<>(1);
    for (ShardCopy copy : copies) {
      (copy.initializing()
              ? initializing
              : weights.isDrained(copy.nodeId()) ? drained : takesPart.test(copy) ? taking : others)
          .add(copy);
    }
    return new WeightGroups(List.of(taking, others, drained), initializing);
  }

  /** Returns the same groups, each in the order of a ranking of all copies. */
  WeightGroups inOrderOf(List<ShardCopy> all) {
    return new WeightGroups(
        groups.stream().map(group -> inOrderOf(all, group)).toList(), inOrderOf(all, initializing));
  }

  private static List<ShardCopy> inOrderOf(List<ShardCopy> all, List<ShardCopy> group) {
    return all.stream().filter(group::contains).toList();
  }

  /** Returns all copies: those of one group, those of the other groups, the initializing ones. */
  List<ShardCopy> startingWith(int head) {
    List<ShardCopy> all = new ArrayList<>(groups.get(head));
    for (int group = 0; group < groups.size(); group++) {
      if (group != head) {
        all.addAll(groups.get(group));
      }
    }
    all.addAll(initializing);
    return all;
  }

  /**
   * Returns the group that goes first. Nodes that are not drained do if one of them is neither
   * ejected nor unsteady, or is due for a test. Then follow the unsteady ones, which answer all the
   * same, and then the drained ones: those may be about to stop. Ejected nodes and those that stand
   * still now go last.
   *
   * @param firstRanked the copy that a ranking of all has put first: it may be a test of its node;
   *     null if there was none
   */
  int firstUsable(ReplicaSelector ranked, @Nullable ShardCopy firstRanked, Phase phase) {
    int found = findUsable(ranked, firstRanked, phase);
    return found >= 0 ? found : Math.max(0, firstWith(groups.size(), copy -> true));
  }

  /**
   * Returns the copies that may come first: those of the groups up to the first usable one, since
   * the nodes of those before it may be due for a test; all copies if no group is usable.
   */
  List<ShardCopy> candidates(ReplicaSelector ranked, Phase phase) {
    int found = findUsable(ranked, null, phase);
    List<ShardCopy> candidates = new ArrayList<>();
    for (List<ShardCopy> group : found < 0 ? groups : groups.subList(0, found + 1)) {
      candidates.addAll(group);
    }
    return candidates.isEmpty() ? initializing : candidates;
  }

  private int findUsable(ReplicaSelector ranked, @Nullable ShardCopy firstRanked, Phase phase) {
    int found =
        firstWith(DRAINED, copy -> copy.equals(firstRanked) || ranked.mayWaitFor(copy, phase));
    if (found < 0) {
      found =
          firstWith(
              groups.size(), copy -> copy.equals(firstRanked) || ranked.canAnswer(copy, phase));
    }
    return found;
  }

  /** Returns the first of some groups with such a copy; -1 if there is none. */
  private int firstWith(int end, Predicate<ShardCopy> accepted) {
    for (int group = 0; group < end; group++) {
      if (groups.get(group).stream().anyMatch(accepted)) {
        return group;
      }
    }
    return -1;
  }
}
