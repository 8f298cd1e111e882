package dev.weir.core.plan;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a search is going to do: which shards, on which copies, under which rules. Immutable.
 *
 * @param shards every shard of the search in the order in which they are asked, skipped ones too
 * @param rules what bounds the search
 */
public record SearchPlan(List<PlannedShard> shards, SearchRules rules) {
  /**
   * One shard of a search.
   *
   * @param ordinal its place among the search's shards as they were resolved; stays when they are
   *     reordered
   * @param nodeIds ids of the nodes with a copy, best first; empty when no copy can answer
   * @param skip whether it is known to match nothing, so that it counts as done without being asked
   * @param interchangeable the copies that stand first and are as good as each other: which of them
   *     is asked may be decided when it is asked; fewer than two leave nothing to decide
   * @param notes who keeps what becomes of it
   */
  public record PlannedShard(
      int ordinal,
      List<String> nodeIds,
      boolean skip,
      List<ShardCopy> interchangeable,
      ShardRoutingRecorder notes) {
    /** A shard whose copies are tried in this order. */
    public PlannedShard(int ordinal, List<String> nodes, boolean skip) {
      this(ordinal, nodes, skip, List.of(), ShardRoutingRecorder.NONE);
    }

    /** The same shard, to be skipped or not. */
    public PlannedShard skip(boolean whether) {
      return new PlannedShard(ordinal, nodeIds, whether, interchangeable, notes);
    }

    private PlannedShard withNodesFirst(Predicate<String> nodeIds) {
      if (skip || interchangeable.size() < 2 || nodeIds.test(interchangeable.getFirst().nodeId())) {
        return this;
      }
      for (ShardCopy copy : interchangeable) {
        if (nodeIds.test(copy.nodeId())) {
          List<ShardCopy> others = new ArrayList<>(interchangeable);
          others.remove(copy);
          others.addFirst(copy);
          List<String> order = new ArrayList<>(this.nodeIds);
          order.remove(copy.nodeId());
          order.addFirst(copy.nodeId());
          return new PlannedShard(ordinal, order, false, others, notes);
        }
      }
      return this;
    }
  }

  /**
   * What bounds a search.
   *
   * @param maxConcurrentPerNode how many shard requests may be outstanding on one node
   * @param allowPartial whether an answer without some of the shards is an answer
   * @param ignoreUnavailable whether shards without any copy are left out silently
   * @param canMatchFirst whether shards are asked first whether they can match at all
   */
  public record SearchRules(
      int maxConcurrentPerNode,
      boolean allowPartial,
      boolean ignoreUnavailable,
      boolean canMatchFirst) {
    /** Refuses a bound that would stop everything. */
    public SearchRules {
      if (maxConcurrentPerNode < 1) {
        throw new IllegalArgumentException(
            "got maxConcurrentPerNode " + maxConcurrentPerNode + " (expected: 1 or more)");
      }
    }
  }

  /** Copies the list. */
  public SearchPlan {
    shards = List.copyOf(shards);
  }

  /** The shards that are asked, in order. */
  public List<PlannedShard> shardsToQuery() {
    List<PlannedShard> asked = new ArrayList<>(shards.size());
    for (PlannedShard shard : shards) {
      if (!shard.skip()) {
        asked.add(shard);
      }
    }
    return asked;
  }

  /** Whether some shard that must be asked has no copy that could answer. */
  public boolean hasShardWithoutCopies() {
    for (PlannedShard shard : shards) {
      if (!shard.skip() && shard.nodeIds().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** The same search, with the copies on these nodes tried last. */
  public SearchPlan withNodesLast(Set<String> nodeIds) {
    if (nodeIds.isEmpty()) {
      return this;
    }
    List<PlannedShard> avoiding = new ArrayList<>(shards.size());
    for (PlannedShard shard : shards) {
      List<String> nodes = new ArrayList<>(shard.nodeIds());
      nodes.sort(Comparator.comparing(nodeIds::contains));
      List<ShardCopy> free =
          shard.interchangeable().stream()
              .filter(copy -> !nodeIds.contains(copy.nodeId()))
              .toList();
      avoiding.add(new PlannedShard(shard.ordinal(), nodes, shard.skip(), free, shard.notes()));
    }
    return new SearchPlan(avoiding, rules);
  }

  /**
   * The same search; where the copies are as good as each other and the first one's node won't do,
   * with one first whose node does.
   */
  public SearchPlan withNodesFirst(Predicate<String> nodeIds) {
    return new SearchPlan(
        shards.stream().map(shard -> shard.withNodesFirst(nodeIds)).toList(), rules);
  }

  /** The same search over the same shards in another order, some of them skipped. */
  public SearchPlan withShards(List<PlannedShard> reordered) {
    return new SearchPlan(
        reordered,
        new SearchRules(
            rules.maxConcurrentPerNode(), rules.allowPartial(), rules.ignoreUnavailable(), false));
  }
}
