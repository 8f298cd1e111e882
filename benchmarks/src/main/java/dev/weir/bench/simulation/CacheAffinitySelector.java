package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.RankingExplanation.Candidate;
import dev.weir.routing.ReplicaSelector;
import java.util.List;

/**
 * Prefers the copy whose node may have the response in its cache, unless its score is more than
 * twice the best.
 */
final class CacheAffinitySelector implements ReplicaSelector {
  private static final double MAX_SCORE_RATIO = 2;

  private final ReplicaSelector selector;
  private final CurrentRequest current;

  CacheAffinitySelector(ReplicaSelector selector, CurrentRequest current) {
    this.selector = selector;
    this.current = current;
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    selector.order(copies, count, phase);
    long key = current.get().cacheKey;
    int preferred = key < 0 ? -1 : CacheAffinity.preferredCopy(copies, count, key);
    if (preferred > 0) {
      double own = score(copies[preferred], phase);
      CacheAffinity.prefer(copies, preferred, own, score(copies[0], phase), MAX_SCORE_RATIO);
    }
  }

  private double score(ShardCopy copy, Phase phase) {
    Candidate only = selector.explain(List.of(copy), phase).candidates().getFirst();
    return only.score();
  }
}
