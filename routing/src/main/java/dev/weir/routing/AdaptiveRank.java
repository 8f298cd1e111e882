package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.routing.Scale.Name;
import dev.weir.routing.score.AdaptiveScore;
import java.util.List;

/** Ranks by {@link AdaptiveScore}. */
final class AdaptiveRank implements Rank {
  private static final double MILLI = 1e6;
  private static final Scale SCALE =
      new Scale(
          "adaptive",
          "(s * (c + ((L + 1) / k)^2) + b + silence-weight * silence)"
              + " * (1 + failure-penalty * errors)",
          List.of(
              Name.millis("s"),
              Name.number("c"),
              Name.number("L"),
              Name.number("k"),
              Name.millis("b"),
              Name.millis("silence"),
              Name.number("errors"),
              Name.number("outstanding"),
              Name.number("limit"),
              Name.number("others"),
              Name.number("q")));

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
        state.silenceNanos(now, tracker.awakeSince(now)),
        state.faults().fadedRate(now, policy.health()));
  }

  @Override
  public Scale scale() {
    return SCALE;
  }

  @Override
  public void numbers(NodeState state, int costClass, long now, double[] into, int at) {
    Belief belief = state.belief();
    into[at] = belief.serviceNanos() / MILLI;
    into[at + 1] = state.cost(costClass);
    into[at + 2] = state.load(now);
    into[at + 3] = state.threads();
    into[at + 4] = state.residualNanos(costClass) / MILLI;
    into[at + 5] = state.silenceNanos(now, tracker.awakeSince(now)) / MILLI;
    into[at + 6] = state.faults().fadedRate(now, policy.health());
    into[at + 7] = state.outstanding();
    into[at + 8] = state.limit().limit();
    into[at + 9] = belief.others();
    into[at + 10] = belief.queue();
  }
}
