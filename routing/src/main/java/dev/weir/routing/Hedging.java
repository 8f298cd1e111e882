package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.estimate.Fleet;
import dev.weir.routing.tail.HedgeBudget;
import dev.weir.routing.tail.HedgeTerms;
import dev.weir.routing.tail.Latencies;
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
public final class Hedging {
  private static final long LEAST_DELAY_NANOS = 1_000_000;
  private static final long UNKNOWN_NANOS = 20_000_000;
  private static final long LEAST_RETRY_NANOS = 2_000_000;
  private static final long MOST_RETRIES_APART = 4;

  /** A node with this many requests a thread has enough to do: it is not sent more of it. */
  private static final double MOST_LOAD = 5;

  private final NodeLoadTracker tracker;
  private final AdaptiveRank rank;
  private final LongSupplier nanoTime;
  private final HedgeTerms terms;
  private final HedgeBudget budget;
  private final Usual usual;

  /** What response times are usual, by phase and class. */
  private record Usual(List<Latencies> late, List<Latencies> median) {}

  /** Makes a hedging with a full budget. */
  public Hedging(
      NodeLoadTracker tracker, RoutingPolicy policy, LongSupplier nanoTime, HedgeTerms terms) {
    this(
        tracker,
        new AdaptiveRank(tracker, policy),
        nanoTime,
        terms,
        new HedgeBudget(terms.share(), terms.burst()),
        new Usual(quantiles(terms.quantile()), quantiles(0.5)));
  }

  private Hedging(
      NodeLoadTracker tracker,
      AdaptiveRank rank,
      LongSupplier nanoTime,
      HedgeTerms terms,
      HedgeBudget budget,
      Usual usual) {
    this.tracker = tracker;
    this.rank = rank;
    this.nanoTime = nanoTime;
    this.terms = terms;
    this.budget = budget;
    this.usual = usual;
  }

  /** One by another policy, with the budget and the response times of this one that it may have. */
  public Hedging by(RoutingPolicy policy, HedgeTerms other) {
    return by(policy, other, this);
  }

  /**
   * One by another policy, with the budget and the response times of a standard one that it may
   * have, and else with those of this one.
   */
  public Hedging by(RoutingPolicy policy, HedgeTerms other, Hedging standard) {
    Hedging spending = standard.spendsAs(other) ? standard : this;
    return new Hedging(
        tracker,
        new AdaptiveRank(tracker, policy),
        nanoTime,
        other,
        spending.spendsAs(other) ? spending.budget : new HedgeBudget(other.share(), other.burst()),
        standard.terms.quantile() == other.quantile() ? standard.usual : usual(other));
  }

  private boolean spendsAs(HedgeTerms other) {
    return terms.share() == other.share() && terms.burst() == other.burst();
  }

  private Usual usual(HedgeTerms other) {
    return terms.quantile() == other.quantile()
        ? usual
        : new Usual(quantiles(other.quantile()), usual.median());
  }

  /**
   * A first request was sent: when to look at it, in nanoseconds; -1 for never.
   *
   * @param first as {@link NodeLoads#begin} returned it
   */
  public long sent(NodeLoads.Outstanding first) {
    budget.earn();
    if (!(first instanceof Exchange exchange)) {
      return -1;
    }
    if (exchange.trial() != NodeLoads.Trial.NONE) {
      long median = usual.median().get(slot(exchange)).nanos();
      return Math.max(LEAST_DELAY_NANOS / 2, median < 0 ? UNKNOWN_NANOS : median);
    }
    long delay = usual.late().get(slot(exchange)).nanos();
    return delay < 0 ? -1 : Math.max(LEAST_DELAY_NANOS, delay);
  }

  /**
   * A request or the second one for it was answered.
   *
   * @param first the first request, also when the second was answered
   */
  public void answered(NodeLoads.Outstanding first) {
    if (first instanceof Exchange exchange) {
      long now = nanoTime.getAsLong();
      if (tracker.overslept(exchange, now)) {
        return;
      }
      long nanos = now - exchange.sentAtNanos;
      usual.late().get(slot(exchange)).add(nanos);
      usual.median().get(slot(exchange)).add(nanos);
    }
  }

  /**
   * Whether to send a second request to {@code other} now; takes a token if so.
   *
   * @param other the best copy on another node
   * @param onlyForSilence not for one that is merely late: requests wait at the gateway, or it is
   *     the second request that is looked at, for a third
   */
  public boolean goes(NodeLoads.Outstanding first, ShardCopy other, boolean onlyForSilence) {
    if (!(first instanceof Exchange exchange)) {
      return false;
    }
    long now = nanoTime.getAsLong();
    if (tracker.overslept(exchange, now)) {
      return false; // it is this process that was late
    }
    NodeState state = tracker.state(other.nodeId(), exchange.state.phase);
    double silence = exchange.state.silenceNanos(now, tracker.awakeSince(now));
    if (silence > exchange.expectedNanos) {
      return state.load(now) <= MOST_LOAD * state.threads() && budget.takeForStall();
    }
    if (onlyForSilence) {
      return false;
    }
    if (exchange.trial() != NodeLoads.Trial.NONE) {
      return budget.takeForLate();
    }
    double waited = (double) now - exchange.sentAtNanos;
    boolean idle = state.load(now) <= terms.idleShare() * state.threads() - 1;
    boolean sooner = rank.of(state, exchange.costClass, now) <= waited + exchange.expectedNanos;
    return idle && sooner && budget.takeForLate();
  }

  /**
   * When to look again at a request that got no second one, in nanoseconds: after twice as long as
   * before, up to four times the least.
   *
   * @param waitedNanos before the look that was just taken
   */
  public long againNanos(NodeLoads.Outstanding first, long waitedNanos) {
    long late = first instanceof Exchange exchange ? usual.late().get(slot(exchange)).nanos() : -1;
    long least = Math.max(LEAST_RETRY_NANOS, (late < 0 ? UNKNOWN_NANOS : late) / 2);
    return Math.clamp(2 * waitedNanos, least, MOST_RETRIES_APART * least);
  }

  /** Second requests that may be sent at once. */
  public double tokens() {
    return budget.tokens();
  }

  private static int slot(Exchange exchange) {
    return exchange.state.phase.ordinal() * Fleet.CLASSES
        + Math.floorMod(exchange.costClass, Fleet.CLASSES);
  }

  private static List<Latencies> quantiles(double quantile) {
    return Stream.generate(() -> new Latencies(quantile))
        .limit((long) Phase.values().length * Fleet.CLASSES)
        .toList();
  }
}
