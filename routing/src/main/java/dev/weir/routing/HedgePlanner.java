package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.estimate.FleetStatistics;
import dev.weir.routing.tail.HedgeBudget;
import dev.weir.routing.tail.HedgeSettings;
import dev.weir.routing.tail.LatencyQuantile;
import dev.weir.routing.tail.RestartPermit;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides when to send a hedged request for a late one, and to which node (Dean and Barroso, The
 * Tail at Scale, 2013; with conditions). Only for reads without state on the node. Safe on any
 * thread.
 *
 * <p>A request is checked after its class's 95th percentile; a request that explores an idle node
 * is checked after the median. Every hedged request takes a token. If the first node has been
 * silent for more than three times the expected time (the early timeout), a hedged request goes to
 * the best other copy while a token is left, unless that node has more than five requests a thread.
 * If the first request is merely late or exploring, a hedged request needs at least half of the
 * tokens, no request may wait at the gateway, and the other node must be steady. For a late one,
 * the other node must also be half idle, and its score must be at most the time already waited plus
 * the first one's expected response time. The slower request is abandoned, except a probe of an
 * ejected node, which always runs to its end.
 */
public final class HedgePlanner {
  private static final long MIN_DELAY_NANOS = 1_000_000;
  private static final long DEFAULT_DELAY_NANOS = 20_000_000;
  private static final long MIN_RECHECK_NANOS = 2_000_000;
  private static final long MAX_RECHECK_FACTOR = 4;

  /** A node that is silent for so many times the expected time does not respond. */
  private static final int STALL_FACTOR = 3;

  private static final long UNKNOWN_STALL_NANOS = 1_000_000_000;

  private static final List<Phase> SEARCH_PHASES = List.of(Phase.QUERY, Phase.FETCH);

  /** A node with this many requests a thread gets no hedged requests. */
  private static final double MAX_LOAD_PER_THREAD = 5;

  private final NodeLoadTracker tracker;
  private final AdaptiveScorer rank;
  private final LongSupplier nanoTime;
  private final HedgeSettings settings;
  private final HedgeBudget budget;
  private final LatencyBaselines baselines;

  /** The usual response times, by phase and class. */
  private record LatencyBaselines(
      List<LatencyQuantile> tailQuantiles, List<LatencyQuantile> medians) {}

  /** Creates a planner with a full budget. */
  public HedgePlanner(
      NodeLoadTracker tracker, RoutingPolicy policy, LongSupplier nanoTime, HedgeSettings terms) {
    this(
        tracker,
        new AdaptiveScorer(tracker, policy),
        nanoTime,
        terms,
        new HedgeBudget(terms.share(), terms.burst(), nanoTime),
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

  /**
   * Returns a planner with another policy. It shares this one's budget and response times where its
   * settings allow that.
   */
  public HedgePlanner withPolicy(RoutingPolicy policy, HedgeSettings other) {
    return withPolicy(policy, other, this);
  }

  /**
   * Returns a planner with another policy. It shares the default planner's budget and response
   * times where its settings allow that, and otherwise this one's.
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
            : new HedgeBudget(other.share(), other.burst(), nanoTime),
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
   * Records a first request; returns the delay of its first check in nanoseconds; -1 for no check.
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
   * Records the response to a request or to its hedged request.
   *
   * @param first the first request, even if the hedged one got the response
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
   * Returns true if the caller should send a hedged request to {@code other} now; takes a token
   * then.
   *
   * @param other the best copy on another node
   * @param onlyForSilence excludes requests that are merely late, because requests wait at the
   *     gateway or because this would be the third request
   */
  public boolean tryHedge(
      NodeLoadRecorder.OutstandingRequest first, ShardCopy other, boolean onlyForSilence) {
    if (!(first instanceof TrackedRequest exchange)
        || tracker.weights().isDrained(other.nodeId())) {
      return false;
    }
    long now = nanoTime.getAsLong();
    NodePhaseState state = tracker.state(other.nodeId(), exchange.state.phase);
    double silence = exchange.state.silenceNanos(now, tracker.lastPauseEndNanos(now));
    if (silence > exchange.expectedNanos) {
      return state.load(now) <= MAX_LOAD_PER_THREAD * state.threads()
          && budget.tryWithdrawForStall();
    }
    if (onlyForSilence || state.isUnsteady() || tracker.spansLocalPause(exchange, now)) {
      return false; // or a pause of this process caused the delay
    }
    if (exchange.trialReason() != NodeLoadRecorder.TrialReason.NONE) {
      return budget.tryWithdrawForLate();
    }
    double waited = (double) now - exchange.sentAtNanos;
    boolean idle = state.load(now) <= settings.idleShare() * state.threads() - 1;
    boolean fast = rank.score(state, exchange.costClass, now) <= waited + exchange.expectedNanos;
    return idle && fast && budget.tryWithdrawForLate();
  }

  /**
   * Records that a hedged request was answered first. It costs nothing if the first node does not
   * respond even now.
   */
  public void onHedgeWon(NodeLoadRecorder.OutstandingRequest first) {
    if (isStalled(first)) {
      budget.refund();
    }
  }

  /**
   * Returns the delay until the next check of a request without a hedged one, in nanoseconds: twice
   * the previous delay, up to four times the shortest.
   *
   * @param waitedNanos the delay before the check that just ran
   */
  public long recheckDelayNanos(NodeLoadRecorder.OutstandingRequest first, long waitedNanos) {
    long late =
        first instanceof TrackedRequest exchange
            ? baselines.tailQuantiles().get(slot(exchange)).nanos()
            : -1;
    long least = Math.max(MIN_RECHECK_NANOS, (late < 0 ? DEFAULT_DELAY_NANOS : late) / 2);
    return Math.clamp(2 * waitedNanos, least, MAX_RECHECK_FACTOR * least);
  }

  /**
   * Returns the delay in nanoseconds after which a request that only one node can answer is checked
   * by {@link #isStalled}; -1 for no check. A node that never responded to such a request gets a
   * second, since nobody knows how long it takes.
   */
  public long stallCheckDelayNanos(NodeLoadRecorder.OutstandingRequest only) {
    if (!(only instanceof TrackedRequest exchange)) {
      return -1;
    }
    return exchange.state.loadEstimate().samples() == 0
        ? UNKNOWN_STALL_NANOS
        : (long) (STALL_FACTOR * exchange.inOrderNanos) + MIN_DELAY_NANOS;
  }

  /**
   * Returns true if the node of a request has been silent for longer than this request may take,
   * beyond the two expected times that its oldest request may take. A node with a long queue
   * responds all the while, so the queue counts no more than its turn takes. Silence before the end
   * of this process's last pause does not count.
   */
  public boolean isStalled(NodeLoadRecorder.OutstandingRequest only) {
    return only instanceof TrackedRequest exchange
        && stallNanos(exchange.state, nanoTime.getAsLong()) > exchange.inOrderNanos;
  }

  /**
   * Returns true if a node may be expected to respond to searches: it is not ejected, and no
   * request of the query or fetch phase is waiting for it for too long.
   */
  public boolean canRespond(String nodeId) {
    long now = nanoTime.getAsLong();
    for (Phase phase : SEARCH_PHASES) {
      NodePhaseState state = tracker.state(nodeId, phase);
      TrackedRequest oldest = state.oldestUnanswered();
      if (state.failures().ejected()
          || (state.outstanding() > 0
              && oldest != null
              && stallNanos(state, now) > oldest.inOrderNanos)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns how much longer the node has been silent than one that serves its queue in order: a
   * long queue delays a response, but not the responses to the requests before it.
   */
  private double stallNanos(NodePhaseState state, long now) {
    TrackedRequest oldest = state.oldestUnanswered();
    return oldest == null
        ? 0
        : NodeSilence.beyond(
            oldest.sentAtNanos,
            oldest.inOrderNanos,
            state.lastAnswerNanos(oldest.sentAtNanos),
            now,
            tracker.lastPauseEndNanos(now));
  }

  /**
   * Permits a search to start over because a node that holds its contexts does not respond; null if
   * it has to wait.
   *
   * @param shards the number of its shards
   */
  public @Nullable RestartPermit tryRestart(int shards) {
    return budget.tryRestart(shards);
  }

  /** Returns the number of hedged requests that may be sent at once. */
  public double tokens() {
    return budget.tokens();
  }

  /** Returns the number of searches that started over without tokens and have not ended. */
  public int unpaidRestarts() {
    return budget.unpaidRestarts();
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
