package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.Explanation.Candidate;
import dev.weir.routing.ReplicaSelector;
import java.util.List;

/**
 * Prefers the copy whose node has the request's answer in its cache if any has: its home, unless
 * that is over twice as bad as the best.
 */
final class HomeFirst implements ReplicaSelector {
  private static final double MOST_TIMES = 2;

  private final ReplicaSelector selector;
  private final Gate gate;

  HomeFirst(ReplicaSelector selector, Gate gate) {
    this.selector = selector;
    this.gate = gate;
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    selector.order(copies, count, phase);
    long key = gate.choosing().key;
    int home = key < 0 ? -1 : HomeCopy.of(copies, count, key);
    if (home > 0) {
      double own = score(copies[home], phase);
      HomeCopy.prefer(copies, home, own, score(copies[0], phase), MOST_TIMES);
    }
  }

  private double score(ShardCopy copy, Phase phase) {
    Candidate only = selector.explain(List.of(copy), phase).candidates().getFirst();
    return only.score();
  }
}
