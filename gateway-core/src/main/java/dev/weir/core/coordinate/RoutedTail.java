package dev.weir.core.coordinate;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardNotes;
import dev.weir.model.Shown;
import dev.weir.protocol.NodeFailure;
import dev.weir.protocol.PendingCall;
import dev.weir.routing.Hedging;
import dev.weir.routing.NodeLoads;
import dev.weir.routing.tail.RetryBudget;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * The tail's decisions for the requests of one policy, which pay for them from budgets of their
 * own. Safe on any thread.
 */
final class RoutedTail implements Tail {
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int INTERNAL_SERVER_ERROR = 500;

  private final RoutingPolicy policy;
  private final Hedging hedging;
  private final RetryBudget retries;
  private final TailCounts counts;
  private final BooleanSupplier overloaded;

  /**
   * Makes one.
   *
   * @param overloaded whether the gateway has so much to do that second requests must not add to it
   */
  RoutedTail(
      RoutingPolicy policy,
      Hedging hedging,
      RetryBudget retries,
      TailCounts counts,
      BooleanSupplier overloaded) {
    this.policy = policy;
    this.hedging = hedging;
    this.retries = retries;
    this.counts = counts;
    this.overloaded = overloaded;
  }

  RoutingPolicy policy() {
    return policy;
  }

  Hedging hedging() {
    return hedging;
  }

  RetryBudget retries() {
    return retries;
  }

  @Override
  public ShardNotes.Why asked(PendingCall call, String nodeId, Why why) {
    if (why == Why.BEST || why == Why.ONLY_COPY) {
      retries.earn();
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
    counts.chose(nodeId, noted);
    return noted;
  }

  @Override
  public boolean hedges() {
    return policy.hedging().enabled();
  }

  @Override
  public long lookAfterNanos(PendingCall first) {
    return hedging.sent(outstanding(first));
  }

  @Override
  public boolean goes(PendingCall first, String nodeId) {
    ShardCopy other = new ShardCopy(nodeId, "", false, false, Map.of());
    return hedging.goes(outstanding(first), other, overloaded.getAsBoolean());
  }

  @Override
  public long lookAgainNanos(PendingCall first, long waitedNanos) {
    return hedging.againNanos(outstanding(first), waitedNanos);
  }

  @Override
  public void answered(PendingCall first) {
    hedging.answered(outstanding(first));
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
    counts.ended(how);
  }

  /** What the request itself is to blame for costs nothing: a node would try all copies too. */
  @Override
  public boolean mayRetry(Exception failure) {
    boolean may = !nodesFault(failure) || retries.take();
    counts.retried(may ? reason(failure) : TailCounts.OUT_OF_BUDGET);
    return may;
  }

  @Override
  public boolean mayStartOver(Exception loss) {
    boolean may = retries.take();
    counts.restarted(may ? lost(loss) : TailCounts.OUT_OF_BUDGET);
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
