package dev.weir.cluster;

import dev.weir.model.NodeCallType;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.RankedCopies;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.index.shard.ShardId;

/**
 * One shard that a request goes to, with the copies that may answer, in tiers. The copies of one
 * tier are equivalent for the request, and a {@link ReplicaSelector} may order them. The tiers
 * themselves are tried in order: preferred nodes before the others, initializing copies last. A
 * preference that fixes the whole order makes tiers of one copy. Immutable.
 *
 * @param shardId the shard
 * @param tiers no tier is empty; no tiers if no copy can answer
 * @param canFallBack whether the next tier may replace an overloaded one; false if the client or
 *     the operator chose the copies
 */
public record ShardTarget(ShardId shardId, List<List<ShardCopy>> tiers, boolean canFallBack) {
  /** A target without fallback between tiers. */
  public ShardTarget(ShardId shardId, List<List<ShardCopy>> tiers) {
    this(shardId, tiers, false);
  }

  /** Returns all copies in the order in which a node would try them. */
  public List<ShardCopy> copies() {
    if (tiers.size() == 1) {
      return tiers.getFirst();
    }
    List<ShardCopy> copies = new ArrayList<>(4);
    tiers.forEach(copies::addAll);
    return copies;
  }

  /** Returns whether the order of the copies is fixed. */
  public boolean isOrderFixed() {
    for (List<ShardCopy> tier : tiers) {
      if (tier.size() > 1) {
        return false;
      }
    }
    return true;
  }

  /** Returns the equivalent copies at the start of an order; none if there is no choice. */
  public List<ShardCopy> interchangeableCopies(List<ShardCopy> ordered) {
    List<ShardCopy> first = tiers.isEmpty() ? List.of() : tiers.getFirst();
    if (first.size() < 2 || first.getFirst().initializing()) {
      return List.of();
    }
    int count = 0;
    while (count < ordered.size() && first.contains(ordered.get(count))) {
      count++;
    }
    return count < 2 ? List.of() : ordered.subList(0, count);
  }

  /**
   * Returns all copies in the order in which to try them; the selector orders each tier. If tiers
   * can fall back, the first copy of a later tier comes first while the copies before it are
   * overloaded. A copy of the first tier that is a test of its node stays before it: the node would
   * lose the test.
   */
  public List<ShardCopy> order(ReplicaSelector selector, NodeCallType work) {
    if (tiers.isEmpty()) {
      return List.of();
    }
    if (tiers.size() == 1) {
      List<ShardCopy> only = tiers.getFirst();
      return only.size() == 1 ? only : selector.order(only, work.phase(), work.costClass());
    }
    List<List<ShardCopy>> ordered = new ArrayList<>(tiers.size());
    List<ShardCopy> firsts = new ArrayList<>(tiers.size());
    ShardCopy trial = null;
    for (List<ShardCopy> tier : tiers) {
      List<ShardCopy> own = tier;
      if (tier.size() > 1 && ordered.isEmpty()) {
        RankedCopies ranked = selector.rank(tier, work.phase(), work.costClass());
        own = ranked.copies();
        if (canFallBack && ranked.startsWithTrial()) {
          trial = own.getFirst();
          own = own.subList(1, own.size());
        }
      } else if (tier.size() > 1) {
        own = selector.orderFallbacks(tier, work.phase(), work.costClass());
      }
      firsts.add(own.getFirst());
      ordered.add(own);
    }
    int chosen = chooseTier(firsts, trial, selector, work);
    List<ShardCopy> joined = join(ordered, chosen, selector, work.phase());
    if (trial == null) {
      return joined;
    }
    List<ShardCopy> all = new ArrayList<>(joined.size() + 1);
    all.add(trial);
    all.addAll(joined);
    return all;
  }

  /** Returns the tier to begin with; takes no second test beside one that goes first. */
  private int chooseTier(
      List<ShardCopy> firsts,
      @Nullable ShardCopy trial,
      ReplicaSelector selector,
      NodeCallType work) {
    if (!canFallBack) {
      return 0;
    }
    return trial == null
        ? selector.choosePreferred(firsts, work.phase(), work.costClass())
        : selector.peekPreferred(firsts, work.phase(), work.costClass());
  }

  /**
   * Joins the tiers. The first copy of the chosen one stays first, unless nothing but its tier
   * chose it and its node is drained.
   *
   * @param ordered the tiers, each in its own order
   * @param chosen the tier to begin with
   */
  public List<ShardCopy> join(
      List<List<ShardCopy>> ordered, int chosen, ReplicaSelector selector, Phase phase) {
    List<ShardCopy> joined = new ArrayList<>(4);
    ordered.forEach(joined::addAll);
    ShardCopy first = ordered.get(chosen).getFirst();
    boolean staysFirst =
        canFallBack || (tiers.getFirst().size() > 1 && !selector.isDrained(first.nodeId()));
    if (!staysFirst) {
      return selector.drainedLast(joined, phase);
    }
    joined.remove(first);
    List<ShardCopy> all = selector.drainedLast(joined, phase);
    all.addFirst(first);
    return all;
  }
}
