package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.Explanation.Term;
import java.util.List;

/** Ranks by what this gateway has under way on a node. */
final class OutstandingRank implements Rank {
  private final RoutingPolicy policy;

  OutstandingRank(RoutingPolicy policy) {
    this.policy = policy;
  }

  @Override
  public double of(NodeState state, int costClass, long now) {
    double errors = state.faults().fadedRate(now, policy.health());
    return (1.0 + state.outstanding()) * (1 + policy.health().failurePenalty() * errors);
  }

  @Override
  public List<Term> terms(NodeState state, int costClass, long now) {
    return List.of(
        Term.number("outstanding", state.outstanding()),
        Term.number("errors", state.faults().fadedRate(now, policy.health())));
  }

  @Override
  public String name() {
    return "least-outstanding";
  }

  @Override
  public String formula() {
    return "(1 + outstanding) * (1 + failure-penalty * errors)";
  }
}
