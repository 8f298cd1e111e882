package dev.weir.gateway.cluster;

import dev.weir.model.Phase;
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

  /** All copies in the order in which to try them, each tier ordered by the selector. */
  public List<ShardCopy> order(ReplicaSelector selector, Phase phase) {
    if (tiers.size() == 1) {
      List<ShardCopy> only = tiers.getFirst();
      return only.size() == 1 ? only : selector.order(only, phase);
    }
    List<ShardCopy> ordered = new ArrayList<>(4);
    for (List<ShardCopy> tier : tiers) {
      ordered.addAll(tier.size() == 1 ? tier : selector.order(tier, phase));
    }
    return ordered;
  }
}
