package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.ScoreFormula.TermSpec;
import dev.weir.routing.score.AdaptiveScore;
import java.util.List;

/** Scores nodes by {@link AdaptiveScore}. */
final class AdaptiveScorer implements NodeScorer {
  private static final double MILLI = 1e6;
  private static final ScoreFormula FORMULA =
      new ScoreFormula(
          "adaptive",
          "(s * (c + ((L + 1) / k)^2) + b + no-response-weight * silence)"
              + " * (1 + failure-penalty * errors)",
          List.of(
              TermSpec.millis("s"),
              TermSpec.number("c"),
              TermSpec.number("L"),
              TermSpec.number("k"),
              TermSpec.millis("b"),
              TermSpec.millis("silence"),
              TermSpec.number("errors"),
              TermSpec.number("outstanding"),
              TermSpec.number("others"),
              TermSpec.number("q")));

  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final AdaptiveScore score;

  AdaptiveScorer(NodeLoadTracker tracker, RoutingPolicy policy) {
    this.tracker = tracker;
    this.policy = policy;
    this.score = AdaptiveScore.of(policy);
  }

  @Override
  public double score(NodePhaseState state, int costClass, long now) {
    return score.of(
        state.expectedNanos(costClass, now),
        state.silenceNanos(now, tracker.lastPauseEndNanos(now)),
        state.failures().decayedRate(now, policy.health()));
  }

  @Override
  public ScoreFormula formula() {
    return FORMULA;
  }

  @Override
  public void writeTermValues(
      NodePhaseState state, int costClass, long now, double[] into, int at) {
    LoadEstimate estimate = state.loadEstimate();
    into[at] = estimate.serviceNanos() / MILLI;
    into[at + 1] = state.cost(costClass);
    into[at + 2] = state.load(now);
    into[at + 3] = state.threads();
    into[at + 4] = state.residualNanos(costClass) / MILLI;
    into[at + 5] = state.silenceNanos(now, tracker.lastPauseEndNanos(now)) / MILLI;
    into[at + 6] = state.failures().decayedRate(now, policy.health());
    into[at + 7] = state.outstanding();
    into[at + 8] = estimate.othersLoad();
    into[at + 9] = estimate.queueSize();
  }
}
