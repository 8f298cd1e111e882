package dev.weir.core.plan;

import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a search is going to do: which shards, on which copies, under which rules. Immutable.
 *
 * @param shards every shard of the search in query order, skipped ones too
 * @param rules the search's limits
 */
public record SearchPlan(List<PlannedShard> shards, SearchRules rules) {
  /**
   * One shard of a search.
   *
   * @param ordinal its number among the search's shards as they were resolved; reordering keeps it
   * @param nodeIds ids of the nodes with a copy, best first; empty when no copy is active
   * @param skip whether it is known to match nothing, so that it counts as successful without a
   *     query
   * @param interchangeable the first copies, as far as they are equally good: the choice among them
   *     may wait until the query is sent; fewer than two leave no choice
   * @param notes records the attempts
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
    public PlannedShard skip(boolean isSkipped) {
      return new PlannedShard(ordinal, nodeIds, isSkipped, interchangeable, notes);
    }

    /** Returns the shard with its preferred copies first; null if nothing changes. */
    private @Nullable PlannedShard withNodesFirst(Predicate<String> isPreferred) {
      if (skip || interchangeable.size() < 2) {
        return null;
      }
      List<ShardCopy> preferred = null;
      for (int i = 0; i < interchangeable.size(); i++) {
        ShardCopy copy = interchangeable.get(i);
        if (!isPreferred.test(copy.nodeId())) {
          preferred =
              preferred == null ? new ArrayList<>(interchangeable.subList(0, i)) : preferred;
        } else if (preferred != null) {
          preferred.add(copy);
        }
      }
      if (preferred == null || preferred.isEmpty()) {
        return null; // mostly all are preferred
      }
      Set<String> order = new LinkedHashSet<>();
      preferred.forEach(copy -> order.add(copy.nodeId()));
      order.addAll(nodeIds);
      return new PlannedShard(ordinal, List.copyOf(order), false, List.copyOf(preferred), notes);
    }
  }

  /**
   * A search's limits.
   *
   * @param maxConcurrentPerNode how many shard requests may be in flight to one node
   * @param allowPartial whether a response may lack some of the shards
   * @param ignoreUnavailable whether shards without any copy are left out silently
   * @param canMatchFirst whether shards are first asked whether they can match at all
   */
  public record SearchRules(
      int maxConcurrentPerNode,
      boolean allowPartial,
      boolean ignoreUnavailable,
      boolean canMatchFirst) {
    /** Refuses a limit that would stop everything. */
    public SearchRules {
      if (maxConcurrentPerNode < 1) {
        throw new IllegalArgumentException(
            "got maxConcurrentPerNode " + maxConcurrentPerNode + " (expected: 1 or more)");
      }
    }
  }

  public SearchPlan {
    shards = List.copyOf(shards);
  }

  /** The shards to query, in order. */
  public List<PlannedShard> shardsToQuery() {
    List<PlannedShard> queried = new ArrayList<>(shards.size());
    for (PlannedShard shard : shards) {
      if (!shard.skip()) {
        queried.add(shard);
      }
    }
    return queried;
  }

  /** The ordinals of shards, in their order. */
  public static List<Integer> ordinals(List<PlannedShard> shards) {
    List<Integer> ordinals = new ArrayList<>(shards.size());
    for (PlannedShard shard : shards) {
      ordinals.add(shard.ordinal());
    }
    return ordinals;
  }

  /** Whether a shard that has to be queried has no active copy. */
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
   * The same search. Where copies are equally good, those whose nodes pass the test come first, and
   * the choice when the query is sent is among them. The others stay for retries. Where no node
   * passes, nothing changes.
   */
  public SearchPlan withNodesFirst(Predicate<String> isPreferred) {
    return withNodesFirst(at -> true, isPreferred);
  }

  /**
   * The same for some shards only.
   *
   * @param isAffected tests positions in {@link #shards}
   */
  public SearchPlan withNodesFirst(IntPredicate isAffected, Predicate<String> isPreferred) {
    List<PlannedShard> changed = null;
    for (int i = 0; i < shards.size(); i++) {
      PlannedShard shard = isAffected.test(i) ? shards.get(i).withNodesFirst(isPreferred) : null;
      if (shard != null) {
        changed = changed == null ? new ArrayList<>(shards) : changed;
        changed.set(i, shard);
      }
    }
    return changed == null ? this : new SearchPlan(changed, rules);
  }

  /** The same search over the same shards in another order, some of them skipped. */
  public SearchPlan withShards(List<PlannedShard> reordered) {
    return new SearchPlan(
        reordered,
        new SearchRules(
            rules.maxConcurrentPerNode(), rules.allowPartial(), rules.ignoreUnavailable(), false));
  }
}
