package dev.weir.gateway.coordinate;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Shown;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.routing.Hedging;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.NodeLoads;
import dev.weir.routing.tail.HedgeTerms;
import dev.weir.routing.tail.RetryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The tail's decisions by the policy in force and by what was learned of the nodes, counted. Safe
 * on any thread.
 */
public final class RoutedTail implements Tail {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int INTERNAL_SERVER_ERROR = 500;
  private static final String OUT_OF_BUDGET = "refused-by-budget";

  private final LongSupplier nanoTime;
  private final BooleanSupplier overloaded;
  private final Map<Choice, LongAdder> choices = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> hedges = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> retries = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> restarts = new ConcurrentHashMap<>();
  private volatile InForce inForce;

  private record InForce(RoutingPolicy policy, Hedging hedging, RetryBudget retries) {}

  private record Choice(String nodeId, ShardNotes.Why reason) {}

  /**
   * How often something happened.
   *
   * @param nodeId empty where it was on no node in particular
   */
  public record Count(String nodeId, String reason, long count) {}

  /**
   * Makes one that has counted nothing.
   *
   * @param nanoTime the clock of {@code loads}
   * @param overloaded whether the gateway has so much to do that second requests must not add to it
   */
  public RoutedTail(
      NodeLoadTracker loads,
      RoutingPolicy policy,
      LongSupplier nanoTime,
      BooleanSupplier overloaded) {
    this.nanoTime = nanoTime;
    this.overloaded = overloaded;
    this.inForce =
        new InForce(
            policy,
            new Hedging(loads, policy, nanoTime, HedgeTerms.of(policy.hedging())),
            new RetryBudget(policy.retries(), nanoTime));
    for (End end : End.values()) {
      hedges.put(Shown.word(end), new LongAdder());
    }
  }

  /** Decides by another policy from now on; a budget is full again where its own terms differ. */
  public synchronized void use(RoutingPolicy policy) {
    InForce before = inForce;
    inForce =
        new InForce(
            policy,
            before.hedging().by(policy, HedgeTerms.of(policy.hedging())),
            before.policy().retries().equals(policy.retries())
                ? before.retries()
                : new RetryBudget(policy.retries(), nanoTime));
  }

  /** Forgets the counts of nodes that are not named. */
  public void retainOnly(Set<String> nodeIds) {
    choices.keySet().removeIf(choice -> !nodeIds.contains(choice.nodeId()));
  }

  /** How often which node was asked, and why. */
  public List<Count> choices() {
    List<Count> counts = new ArrayList<>();
    choices.forEach((choice, count) ->
        counts.add(new Count(choice.nodeId(), Shown.word(choice.reason()), count.sum())));
    return counts;
  }

  /** What became of second requests. */
  public List<Count> hedgesByOutcome() {
    return counts(hedges);
  }

  /** After which failures the next copy was asked, or was not. */
  public List<Count> retriesByReason() {
    return counts(retries);
  }

  /** After which losses searches started over, or did not. */
  public List<Count> restartsByReason() {
    return counts(restarts);
  }

  /** Second requests that may be sent at once. */
  public double hedgeTokens() {
    return inForce.hedging().tokens();
  }

  /** Copies that may be asked at once after failures. */
  public double retryTokens() {
    return inForce.retries().tokens();
  }

  private static List<Count> counts(Map<String, LongAdder> adders) {
    List<Count> counts = new ArrayList<>();
    adders.forEach((reason, count) -> counts.add(new Count("", reason, count.sum())));
    return counts;
  }

  @Override
  public ShardNotes.Why asked(PendingCall call, String nodeId, Why why) {
    if (why == Why.BEST || why == Why.ONLY_COPY) {
      inForce.retries().earn();
    }
    ShardNotes.Why noted = why.noted();
    if (why == Why.BEST) {
      noted =
          switch (outstanding(call).trial()) {
            case NONE -> noted;
            case EXPLORATION -> ShardNotes.Why.EXPLORATION;
            case EJECTED -> ShardNotes.Why.EJECTED_PROBE;
          };
    }
    choices.computeIfAbsent(new Choice(nodeId, noted), c -> new LongAdder()).increment();
    return noted;
  }

  @Override
  public boolean hedges() {
    return inForce.policy().hedging().enabled();
  }

  @Override
  public long lookAfterNanos(PendingCall first) {
    return inForce.hedging().sent(outstanding(first));
  }

  @Override
  public boolean goes(PendingCall first, String nodeId) {
    ShardCopy other = new ShardCopy(nodeId, "", false, false, Map.of());
    return inForce.hedging().goes(outstanding(first), other, overloaded.getAsBoolean());
  }

  @Override
  public long lookAgainNanos(PendingCall first, long waitedNanos) {
    return inForce.hedging().againNanos(outstanding(first), waitedNanos);
  }

  @Override
  public void answered(PendingCall first) {
    inForce.hedging().answered(outstanding(first));
  }

  @Override
  public boolean abandon(PendingCall loser) {
    NodeLoads.Outstanding outstanding = outstanding(loser);
    if (outstanding.trial() == NodeLoads.Trial.EJECTED) {
      return false;
    }
    outstanding.abandoned();
    return true;
  }

  @Override
  public void ended(End how) {
    hedges.computeIfAbsent(Shown.word(how), h -> new LongAdder()).increment();
  }

  /** What the request itself is to blame for costs nothing: a node would try all copies too. */
  @Override
  public boolean mayRetry(Exception failure) {
    boolean may = !nodesFault(failure) || inForce.retries().take();
    retries
        .computeIfAbsent(may ? reason(failure) : OUT_OF_BUDGET, r -> new LongAdder())
        .increment();
    return may;
  }

  @Override
  public boolean mayStartOver(Exception loss) {
    boolean may = inForce.retries().take();
    restarts.computeIfAbsent(may ? lost(loss) : OUT_OF_BUDGET, r -> new LongAdder()).increment();
    return may;
  }

  private static String lost(Exception loss) {
    return loss instanceof NodeFailure sending && sending.kind() != NodeFailure.Kind.REMOTE
        ? Shown.word(sending.kind())
        : "context-lost";
  }

  private static boolean nodesFault(Exception failure) {
    return failure instanceof NodeFailure sending
        && (sending.kind() != NodeFailure.Kind.REMOTE
            || sending.status() == TOO_MANY_REQUESTS
            || sending.status() >= INTERNAL_SERVER_ERROR);
  }

  private static String reason(Exception failure) {
    if (!(failure instanceof NodeFailure sending)) {
      return "not-sent";
    }
    if (sending.status() == TOO_MANY_REQUESTS) {
      return "rejected";
    }
    return sending.kind() == NodeFailure.Kind.REMOTE ? "error" : Shown.word(sending.kind());
  }

  private static NodeLoads.Outstanding outstanding(PendingCall call) {
    return call instanceof TrackedCall<?> tracked ? tracked.outstanding() : TrackedCall.UNCOUNTED;
  }
}
