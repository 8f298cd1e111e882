package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.Explanation.Term;
import dev.weir.routing.score.AdaptiveScore;
import java.util.List;

/** Ranks by {@link AdaptiveScore}. */
final class AdaptiveRank implements Rank {
  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final AdaptiveScore score;

  AdaptiveRank(NodeLoadTracker tracker, RoutingPolicy policy) {
    this.tracker = tracker;
    this.policy = policy;
    this.score = AdaptiveScore.of(policy);
  }

  @Override
  public double of(NodeState state, int costClass, long now) {
    return score.of(
        state.expectedNanos(costClass, now),
        state.silenceNanos(now, tracker.awakeSince()),
        state.faults().fadedRate(now, policy.health()));
  }

  @Override
  public List<Term> terms(NodeState state, int costClass, long now) {
    Belief belief = state.belief();
    return List.of(
        Term.millis("s", belief.serviceNanos()),
        Term.number("c", state.cost(costClass)),
        Term.number("L", state.load(now)),
        Term.number("k", state.threads()),
        Term.millis("b", state.residualNanos(costClass)),
        Term.millis("silence", state.silenceNanos(now, tracker.awakeSince())),
        Term.number("errors", state.faults().fadedRate(now, policy.health())),
        Term.number("outstanding", state.outstanding()),
        Term.number("limit", state.limit().limit()),
        Term.number("others", belief.others()),
        Term.number("q", belief.queue()));
  }

  @Override
  public String name() {
    return "adaptive";
  }

  @Override
  public String formula() {
    return "(s * (c + ((L + 1) / k)^2) + b + silence-weight * silence)"
        + " * (1 + failure-penalty * errors)";
  }
}
