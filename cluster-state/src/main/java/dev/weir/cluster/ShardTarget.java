package dev.weir.cluster;

import dev.weir.model.NodeCallType;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.index.shard.ShardId;

/**
 * One shard that a request goes to, with the copies that may answer, in tiers. Copies of one tier
 * are as good as each other to the request (a {@link ReplicaSelector} may order them); the tiers
 * themselves are tried in order: preferred nodes before the others, initializing copies last. A
 * preference that fixes the whole order makes tiers of one. Immutable.
 *
 * @param shardId the shard
 * @param tiers never with an empty tier; none at all when no copy can answer
 * @param canFallBack whether an overloaded tier may give way to the next one; never where the
 *     client or the operator said which copies to ask
 */
public record ShardTarget(ShardId shardId, List<List<ShardCopy>> tiers, boolean canFallBack) {
  /** A target whose tiers are strict. */
  public ShardTarget(ShardId shardId, List<List<ShardCopy>> tiers) {
    this(shardId, tiers, false);
  }

  /** All copies in the order in which a node would try them. */
  public List<ShardCopy> copies() {
    if (tiers.size() == 1) {
      return tiers.getFirst();
    }
    List<ShardCopy> copies = new ArrayList<>(4);
    tiers.forEach(copies::addAll);
    return copies;
  }

  /** Whether the request leaves nothing to choose. */
  public boolean isOrderFixed() {
    for (List<ShardCopy> tier : tiers) {
      if (tier.size() > 1) {
        return false;
      }
    }
    return true;
  }

  /** Of copies in the order in which to try them those that stand first and are alike. */
  public List<ShardCopy> interchangeableCopies(List<ShardCopy> ordered) {
    List<ShardCopy> first = tiers.isEmpty() ? List.of() : tiers.getFirst();
    boolean choice =
        first.size() > 1 && !first.getFirst().initializing() && first.contains(ordered.getFirst());
    return choice ? ordered.subList(0, first.size()) : List.of();
  }

  /**
   * All copies in the order in which to try them, each tier ordered by the selector. Where tiers
   * yield, the first copy of a later tier comes first while those before it are overloaded.
   */
  public List<ShardCopy> order(ReplicaSelector selector, NodeCallType work) {
    if (tiers.size() == 1) {
      List<ShardCopy> only = tiers.getFirst();
      return only.size() == 1 ? only : selector.order(only, work.phase(), work.costClass());
    }
    List<ShardCopy> ordered = new ArrayList<>(4);
    List<ShardCopy> firsts = new ArrayList<>(4);
    for (List<ShardCopy> tier : tiers) {
      List<ShardCopy> own = tier;
      if (tier.size() > 1) {
        own =
            ordered.isEmpty()
                ? selector.order(tier, work.phase(), work.costClass())
                : selector.orderFallbacks(tier, work.phase(), work.costClass());
      }
      firsts.add(own.getFirst());
      ordered.addAll(own);
    }
    if (canFallBack) {
      ShardCopy first =
          firsts.get(selector.choosePreferred(firsts, work.phase(), work.costClass()));
      ordered.remove(first);
      ordered.addFirst(first);
    }
    return ordered;
  }
}
