package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.estimate.FleetStatistics;
import dev.weir.routing.tail.HedgeBudget;
import dev.weir.routing.tail.HedgeSettings;
import dev.weir.routing.tail.LatencyQuantile;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * When to send a second request for one that is late, and where (Dean and Barroso, The Tail at
 * Scale, 2013; with conditions). Only for reads without state on the node. Safe on any thread.
 *
 * <p>A request is looked at after its class's 95th percentile; one that was sent to hear of an idle
 * node, after the median. Every second request takes a token. If the first one's node has been
 * silent for over three times what was expected (the early timeout), a second one goes to the best
 * other copy while a token is left, unless that node has over five requests a thread; if it is
 * merely late or exploring, only while over half of the tokens are left and nothing waits at the
 * gateway. A late one also needs the other node to be half idle and to be expected to answer before
 * what was already waited. Whoever loses is abandoned, but for one that tries an ejected node: that
 * is heard to its end, however late.
 */
public final class HedgePlanner {
  private static final long MIN_DELAY_NANOS = 1_000_000;
  private static final long DEFAULT_DELAY_NANOS = 20_000_000;
  private static final long MIN_RECHECK_NANOS = 2_000_000;
  private static final long MAX_RECHECK_FACTOR = 4;

  /** A node with this many requests a thread has enough to do: it is not sent more of it. */
  private static final double MAX_LOAD_PER_THREAD = 5;

  private final NodeLoadTracker tracker;
  private final AdaptiveScorer rank;
  private final LongSupplier nanoTime;
  private final HedgeSettings settings;
  private final HedgeBudget budget;
  private final LatencyBaselines baselines;

  /** What response times are usual, by phase and class. */
  private record LatencyBaselines(
      List<LatencyQuantile> tailQuantiles, List<LatencyQuantile> medians) {}

  /** Makes a hedging with a full budget. */
  public HedgePlanner(
      NodeLoadTracker tracker, RoutingPolicy policy, LongSupplier nanoTime, HedgeSettings terms) {
    this(
        tracker,
        new AdaptiveScorer(tracker, policy),
        nanoTime,
        terms,
        new HedgeBudget(terms.share(), terms.burst()),
        new LatencyBaselines(quantiles(terms.quantile()), quantiles(0.5)));
  }

  private HedgePlanner(
      NodeLoadTracker tracker,
      AdaptiveScorer rank,
      LongSupplier nanoTime,
      HedgeSettings terms,
      HedgeBudget budget,
      LatencyBaselines usual) {
    this.tracker = tracker;
    this.rank = rank;
    this.nanoTime = nanoTime;
    this.settings = terms;
    this.budget = budget;
    this.baselines = usual;
  }

  /** One by another policy, with the budget and the response times of this one that it may have. */
  public HedgePlanner withPolicy(RoutingPolicy policy, HedgeSettings other) {
    return withPolicy(policy, other, this);
  }

  /**
   * One by another policy, with the budget and the response times of a standard one that it may
   * have, and else with those of this one.
   */
  public HedgePlanner withPolicy(RoutingPolicy policy, HedgeSettings other, HedgePlanner standard) {
    HedgePlanner spending = standard.hasSameBudget(other) ? standard : this;
    return new HedgePlanner(
        tracker,
        new AdaptiveScorer(tracker, policy),
        nanoTime,
        other,
        spending.hasSameBudget(other)
            ? spending.budget
            : new HedgeBudget(other.share(), other.burst()),
        standard.settings.quantile() == other.quantile() ? standard.baselines : baselines(other));
  }

  private boolean hasSameBudget(HedgeSettings other) {
    return settings.share() == other.share() && settings.burst() == other.burst();
  }

  private LatencyBaselines baselines(HedgeSettings other) {
    return settings.quantile() == other.quantile()
        ? baselines
        : new LatencyBaselines(quantiles(other.quantile()), baselines.medians());
  }

  /**
   * A first request was sent: when to look at it, in nanoseconds; -1 for never.
   *
   * @param first as {@link NodeLoadRecorder#startRequest} returned it
   */
  public long onFirstSent(NodeLoadRecorder.OutstandingRequest first) {
    budget.deposit();
    if (!(first instanceof TrackedRequest exchange)) {
      return -1;
    }
    if (exchange.trialReason() != NodeLoadRecorder.TrialReason.NONE) {
      long median = baselines.medians().get(slot(exchange)).nanos();
      return Math.max(MIN_DELAY_NANOS / 2, median < 0 ? DEFAULT_DELAY_NANOS : median);
    }
    long delay = baselines.tailQuantiles().get(slot(exchange)).nanos();
    return delay < 0 ? -1 : Math.max(MIN_DELAY_NANOS, delay);
  }

  /**
   * A request or the second one for it was answered.
   *
   * @param first the first request, also when the second was answered
   */
  public void onResponse(NodeLoadRecorder.OutstandingRequest first) {
    if (first instanceof TrackedRequest exchange) {
      long now = nanoTime.getAsLong();
      if (tracker.spansLocalPause(exchange, now)) {
        return;
      }
      long nanos = now - exchange.sentAtNanos;
      baselines.tailQuantiles().get(slot(exchange)).add(nanos);
      baselines.medians().get(slot(exchange)).add(nanos);
    }
  }

  /**
   * Whether to send a second request to {@code other} now; takes a token if so.
   *
   * @param other the best copy on another node
   * @param onlyForSilence not for one that is merely late: requests wait at the gateway, or it is
   *     the second request that is looked at, for a third
   */
  public boolean tryHedge(
      NodeLoadRecorder.OutstandingRequest first, ShardCopy other, boolean onlyForSilence) {
    if (!(first instanceof TrackedRequest exchange)) {
      return false;
    }
    long now = nanoTime.getAsLong();
    if (tracker.spansLocalPause(exchange, now)) {
      return false; // it is this process that was late
    }
    NodePhaseState state = tracker.state(other.nodeId(), exchange.state.phase);
    double silence = exchange.state.silenceNanos(now, tracker.lastPauseEndNanos(now));
    if (silence > exchange.expectedNanos) {
      return state.load(now) <= MAX_LOAD_PER_THREAD * state.threads()
          && budget.tryWithdrawForStall();
    }
    if (onlyForSilence) {
      return false;
    }
    if (exchange.trialReason() != NodeLoadRecorder.TrialReason.NONE) {
      return budget.tryWithdrawForLate();
    }
    double waited = (double) now - exchange.sentAtNanos;
    boolean idle = state.load(now) <= settings.idleShare() * state.threads() - 1;
    boolean sooner = rank.score(state, exchange.costClass, now) <= waited + exchange.expectedNanos;
    return idle && sooner && budget.tryWithdrawForLate();
  }

  /**
   * When to look again at a request that got no second one, in nanoseconds: after twice as long as
   * before, up to four times the least.
   *
   * @param waitedNanos before the look that was just taken
   */
  public long recheckDelayNanos(NodeLoadRecorder.OutstandingRequest first, long waitedNanos) {
    long late =
        first instanceof TrackedRequest exchange
            ? baselines.tailQuantiles().get(slot(exchange)).nanos()
            : -1;
    long least = Math.max(MIN_RECHECK_NANOS, (late < 0 ? DEFAULT_DELAY_NANOS : late) / 2);
    return Math.clamp(2 * waitedNanos, least, MAX_RECHECK_FACTOR * least);
  }

  /** Second requests that may be sent at once. */
  public double tokens() {
    return budget.tokens();
  }

  private static int slot(TrackedRequest exchange) {
    return exchange.state.phase.ordinal() * FleetStatistics.COST_CLASSES
        + Math.floorMod(exchange.costClass, FleetStatistics.COST_CLASSES);
  }

  private static List<LatencyQuantile> quantiles(double quantile) {
    return Stream.generate(() -> new LatencyQuantile(quantile))
        .limit((long) Phase.values().length * FleetStatistics.COST_CLASSES)
        .toList();
  }
}
