package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.Scale.Name;
import dev.weir.routing.estimate.Timings;
import dev.weir.routing.score.C3Score;
import java.util.List;

/** Ranks by {@link C3Score}. */
final class C3Rank implements Rank {
  private static final double UNKNOWN_NANOS = 1e6;
  private static final double MILLI = 1e6;
  private static final Scale SCALE =
      new Scale(
          "c3",
          "(R - S + qhat^exponent * S) * (1 + failure-penalty * errors),"
              + " qhat = 1 + outstanding * clients + q",
          List.of(
              Name.millis("R"),
              Name.millis("S"),
              Name.number("qhat"),
              Name.number("errors"),
              Name.number("outstanding"),
              Name.number("q")));

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
  public Scale scale() {
    return SCALE;
  }

  @Override
  public void numbers(NodeState state, int costClass, long now, double[] into, int at) {
    NodeLoad load = tracker.load(state, now);
    into[at] = load.responseNanos() / MILLI;
    into[at + 1] = load.serviceNanos() / MILLI;
    into[at + 2] = score.queueHat(load.outstanding(), load.queueSize());
    into[at + 3] = load.errorRate();
    into[at + 4] = load.outstanding();
    into[at + 5] = load.queueSize();
  }
}
