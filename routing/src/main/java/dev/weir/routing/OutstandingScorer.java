package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.ScoreFormula.TermSpec;
import java.util.List;

/** Scores nodes by this gateway's outstanding requests. */
final class OutstandingScorer implements NodeScorer {
  private static final ScoreFormula FORMULA =
      new ScoreFormula(
          "least-outstanding",
          "(1 + outstanding) * (1 + failure-penalty * errors)",
          List.of(TermSpec.number("outstanding"), TermSpec.number("errors")));

  private final RoutingPolicy policy;

  OutstandingScorer(RoutingPolicy policy) {
    this.policy = policy;
  }

  @Override
  public double score(NodePhaseState state, int costClass, long now) {
    double errors = state.failures().decayedRate(now, policy.health());
    return (1.0 + state.outstanding()) * (1 + policy.health().failurePenalty() * errors);
  }

  @Override
  public ScoreFormula formula() {
    return FORMULA;
  }

  @Override
  public void writeTermValues(
      NodePhaseState state, int costClass, long now, double[] into, int at) {
    into[at] = state.outstanding();
    into[at + 1] = state.failures().decayedRate(now, policy.health());
  }
}
