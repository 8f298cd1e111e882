package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.ScoreFormula.TermSpec;
import dev.weir.routing.estimate.C3Averages;
import dev.weir.routing.score.C3Score;
import java.util.List;

/** Scores nodes by {@link C3Score}. */
final class C3Scorer implements NodeScorer {
  private static final double UNKNOWN_NANOS = 1e6;
  private static final double MILLI = 1e6;
  private static final ScoreFormula FORMULA =
      new ScoreFormula(
          "c3",
          "(R - S + qhat^exponent * S) * (1 + failure-penalty * errors),"
              + " qhat = 1 + outstanding * clients + q",
          List.of(
              TermSpec.millis("R"),
              TermSpec.millis("S"),
              TermSpec.number("qhat"),
              TermSpec.number("errors"),
              TermSpec.number("outstanding"),
              TermSpec.number("q")));

  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final C3Score score;

  C3Scorer(NodeLoadTracker tracker, RoutingPolicy policy) {
    this.tracker = tracker;
    this.policy = policy;
    this.score = C3Score.of(policy);
  }

  @Override
  public double score(NodePhaseState state, int costClass, long now) {
    C3Averages timings = state.c3Averages();
    double response = timings.samples() == 0 ? UNKNOWN_NANOS : timings.responseNanos();
    double service = timings.serviceNanos() > 0 ? timings.serviceNanos() : response;
    double queueHat = score.queueHat(state.outstanding(), timings.decayedQueue(now, policy.c3()));
    double errors = state.failures().decayedRate(now, policy.health());
    return score.of(queueHat, response, Math.max(1, service), errors);
  }

  @Override
  public ScoreFormula formula() {
    return FORMULA;
  }

  @Override
  public void writeTermValues(
      NodePhaseState state, int costClass, long now, double[] into, int at) {
    NodeLoad load = tracker.load(state, now);
    into[at] = load.responseNanos() / MILLI;
    into[at + 1] = load.serviceNanos() / MILLI;
    into[at + 2] = score.queueHat(load.outstanding(), load.queueSize());
    into[at + 3] = load.errorRate();
    into[at + 4] = load.outstanding();
    into[at + 5] = load.queueSize();
  }
}
