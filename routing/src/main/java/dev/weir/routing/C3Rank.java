package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.Explanation.Term;
import dev.weir.routing.estimate.Timings;
import dev.weir.routing.score.C3Score;
import java.util.List;

/** Ranks by {@link C3Score}. */
final class C3Rank implements Rank {
  private static final double UNKNOWN_NANOS = 1e6;

  private final NodeLoadTracker tracker;
  private final RoutingPolicy policy;
  private final C3Score score;

  C3Rank(NodeLoadTracker tracker, RoutingPolicy policy) {
    this.tracker = tracker;
    this.policy = policy;
    this.score = C3Score.of(policy);
  }

  @Override
  public double of(NodeState state, int costClass, long now) {
    Timings timings = state.timings();
    double response = timings.samples() == 0 ? UNKNOWN_NANOS : timings.responseNanos();
    double service = timings.serviceNanos() > 0 ? timings.serviceNanos() : response;
    double queueHat = score.queueHat(state.outstanding(), timings.fadedQueue(now, policy.c3()));
    double errors = state.faults().fadedRate(now, policy.health());
    return score.of(queueHat, response, Math.max(1, service), errors);
  }

  @Override
  public List<Term> terms(NodeState state, int costClass, long now) {
    NodeLoad load = tracker.load(state, now);
    return List.of(
        Term.millis("R", load.responseNanos()),
        Term.millis("S", load.serviceNanos()),
        Term.number("qhat", score.queueHat(load.outstanding(), load.queueSize())),
        Term.number("errors", load.errorRate()),
        Term.number("outstanding", load.outstanding()),
        Term.number("q", load.queueSize()));
  }

  @Override
  public String name() {
    return "c3";
  }

  @Override
  public String formula() {
    return "(R - S + qhat^exponent * S) * (1 + failure-penalty * errors),"
        + " qhat = 1 + outstanding * clients + q";
  }
}
