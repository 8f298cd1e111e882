package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Orders copies by the corrected C3 score of their nodes.
 *
 * <p>Example, R = S = 2 ms and nothing queued anywhere: with 1, 0 and 3 requests outstanding the
 * scores are 16, 2 and 128 ms, so the second copy is first, the first next, the third last.
 *
 * <p>Around the score: a node not heard of for long is believed to be more and more like the best
 * one (so that it is tried again, by time and not by decision); a node never heard of is believed
 * to be like the best one and gets few requests at a time; a node that failed several times in a
 * row is tried last, except for a single request when its time is over; initializing copies are the
 * very last; a random share on every score keeps many gateways from choosing alike.
 */
public final class C3ReplicaSelector implements ReplicaSelector {
  /** In which order copies come before their scores count. */
  private enum Tier {
    PROBE,
    GOOD,
    DEFERRED,
    EJECTED,
    INITIALIZING
  }

  private record Candidate(ShardCopy copy, Tier tier, double score) {}

  private static final Comparator<Candidate> BEST_FIRST =
      Comparator.comparing(Candidate::tier).thenComparingDouble(Candidate::score);

  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final C3Score score;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;

  /**
   * Makes a selector.
   *
   * @param tracker what it knows of the nodes
   * @param nanoTime the tracker's clock
   * @param random safe on any thread
   */
  public C3ReplicaSelector(
      NodeLoadTracker tracker,
      RoutingPolicy policy,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.tracker = tracker;
    this.policy = policy;
    this.score = C3Score.of(policy);
    this.nanoTime = nanoTime;
    this.random = random;
  }

  @Override
  public List<ShardCopy> order(List<ShardCopy> copies, Phase phase) {
    if (copies.size() < 2) {
      return new ArrayList<>(copies);
    }
    NodeLoad best = best(copies, phase);
    List<Candidate> candidates = new ArrayList<>(copies.size());
    for (ShardCopy copy : copies) {
      NodeState state = tracker.state(copy.nodeId(), phase);
      double exact = score.of(tracker.load(state, best)).score();
      double jittered = exact * (1 + policy.c3().jitter() * random.nextDouble());
      candidates.add(new Candidate(copy, tier(copy, state), jittered));
    }
    candidates.sort(BEST_FIRST);
    List<ShardCopy> ordered = new ArrayList<>(copies.size());
    candidates.forEach(candidate -> ordered.add(candidate.copy()));
    return ordered;
  }

  private @Nullable NodeLoad best(List<ShardCopy> copies, Phase phase) {
    NodeLoad best = null;
    double lowest = Double.POSITIVE_INFINITY;
    for (ShardCopy copy : copies) {
      NodeState state = tracker.state(copy.nodeId(), phase);
      if (state.timings().samples() > 0 && !state.faults().ejected()) {
        NodeLoad load = tracker.load(state, null);
        double exact = score.of(load).score();
        if (best == null || exact < lowest) {
          best = load;
          lowest = exact;
        }
      }
    }
    return best;
  }

  private Tier tier(ShardCopy copy, NodeState state) {
    if (copy.initializing()) {
      return Tier.INITIALIZING;
    }
    if (state.faults().ejected()) {
      boolean probe = state.takeProbe(nanoTime.getAsLong(), random.nextDouble(), policy.health());
      return probe ? Tier.PROBE : Tier.EJECTED;
    }
    return state.slowStartIsFull(policy.health()) ? Tier.DEFERRED : Tier.GOOD;
  }
}
