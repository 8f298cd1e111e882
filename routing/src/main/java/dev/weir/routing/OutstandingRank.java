package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.Scale.Name;
import java.util.List;

/** Ranks by what this gateway has under way on a node. */
final class OutstandingRank implements Rank {
  private static final Scale SCALE =
      new Scale(
          "least-outstanding",
          "(1 + outstanding) * (1 + failure-penalty * errors)",
          List.of(Name.number("outstanding"), Name.number("errors")));

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
  public Scale scale() {
    return SCALE;
  }

  @Override
  public void numbers(NodeState state, int costClass, long now, double[] into, int at) {
    into[at] = state.outstanding();
    into[at + 1] = state.faults().fadedRate(now, policy.health());
  }
}
