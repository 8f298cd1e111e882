package dev.weir.gateway.cluster;

import dev.weir.model.ShardCopy;
import dev.weir.model.Work;
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
 */
public record ShardTarget(ShardId shardId, List<List<ShardCopy>> tiers) {
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
  public boolean orderFixed() {
    for (List<ShardCopy> tier : tiers) {
      if (tier.size() > 1) {
        return false;
      }
    }
    return true;
  }

  /** Of copies in the order in which to try them those that stand first and are alike. */
  public List<ShardCopy> free(List<ShardCopy> ordered) {
    int first = tiers.isEmpty() ? 0 : tiers.getFirst().size();
    return first < 2 || tiers.getFirst().getFirst().initializing()
        ? List.of()
        : ordered.subList(0, first);
  }

  /** All copies in the order in which to try them, each tier ordered by the selector. */
  public List<ShardCopy> order(ReplicaSelector selector, Work work) {
    if (tiers.size() == 1) {
      List<ShardCopy> only = tiers.getFirst();
      return only.size() == 1 ? only : selector.order(only, work.phase(), work.costClass());
    }
    List<ShardCopy> ordered = new ArrayList<>(4);
    for (List<ShardCopy> tier : tiers) {
      ordered.addAll(
          tier.size() == 1 ? tier : selector.order(tier, work.phase(), work.costClass()));
    }
    return ordered;
  }
}
