package dev.weir.core.coordinate.attempt;

import dev.weir.config.policy.RoutingPolicy;
import dev.weir.core.coordinate.AttemptPolicy;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpStatus;
import dev.weir.model.ShardCopy;
import dev.weir.model.ShardRoutingRecorder;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.PendingCall;
import dev.weir.routing.HedgePlanner;
import dev.weir.routing.NodeLoadRecorder;
import dev.weir.routing.tail.RestartPermit;
import dev.weir.routing.tail.RetryBudget;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides for the requests of one policy, within the policy's retry and hedging budgets. Safe on
 * any thread.
 */
final class BudgetedAttemptPolicy implements AttemptPolicy {
  private static final String NODE_STALLED = "node-stalled";

  private final RoutingPolicy routingPolicy;
  private final HedgePlanner hedgePlanner;
  private final RetryBudget retryBudget;
  private final AttemptCounts counts;
  private final BooleanSupplier overloaded;

  /**
   * Uses the given budgets.
   *
   * @param overloaded whether the gateway is so busy that it must not send hedged requests
   */
  BudgetedAttemptPolicy(
      RoutingPolicy policy,
      HedgePlanner hedging,
      RetryBudget retries,
      AttemptCounts counts,
      BooleanSupplier overloaded) {
    this.routingPolicy = policy;
    this.hedgePlanner = hedging;
    this.retryBudget = retries;
    this.counts = counts;
    this.overloaded = overloaded;
  }

  RoutingPolicy routingPolicy() {
    return routingPolicy;
  }

  HedgePlanner hedgePlanner() {
    return hedgePlanner;
  }

  RetryBudget retryBudget() {
    return retryBudget;
  }

  @Override
  public ShardRoutingRecorder.Reason recordAttempt(PendingCall call, String nodeId, Reason reason) {
    if (reason == Reason.BEST || reason == Reason.ONLY_COPY) {
      retryBudget.deposit();
    }
    ShardRoutingRecorder.Reason noted = reason.recordedReason();
    if (reason == Reason.BEST) {
      noted =
          switch (AttemptPolicy.outstanding(call).trialReason()) {
            case NONE -> noted;
            case EXPLORATION -> ShardRoutingRecorder.Reason.EXPLORATION;
            case EJECTION_PROBE -> ShardRoutingRecorder.Reason.EJECTED_PROBE;
          };
    }
    counts.recordAttempt(nodeId, noted);
    return noted;
  }

  @Override
  public boolean isHedgingEnabled() {
    return routingPolicy.hedging().enabled();
  }

  @Override
  public long hedgeDelayNanos(PendingCall first) {
    return hedgePlanner.onFirstSent(AttemptPolicy.outstanding(first));
  }

  @Override
  public boolean shouldHedge(PendingCall first, String nodeId) {
    ShardCopy other = new ShardCopy(nodeId, "", false, false, Map.of());
    return hedgePlanner.tryHedge(
        AttemptPolicy.outstanding(first), other, overloaded.getAsBoolean());
  }

  @Override
  public long nextHedgeCheckNanos(PendingCall first, long waitedNanos) {
    return hedgePlanner.recheckDelayNanos(AttemptPolicy.outstanding(first), waitedNanos);
  }

  @Override
  public void recordAnswer(PendingCall first) {
    hedgePlanner.onResponse(AttemptPolicy.outstanding(first));
  }

  @Override
  public boolean abandon(PendingCall loser) {
    NodeLoadRecorder.OutstandingRequest outstanding = AttemptPolicy.outstanding(loser);
    if (outstanding.trialReason() == NodeLoadRecorder.TrialReason.EJECTION_PROBE) {
      return false;
    }
    outstanding.onAbandon();
    return true;
  }

  @Override
  public void recordHedgeWin(PendingCall first) {
    hedgePlanner.onHedgeWon(AttemptPolicy.outstanding(first));
    recordHedgeOutcome(HedgeOutcome.WON);
  }

  @Override
  public void recordHedgeOutcome(HedgeOutcome how) {
    counts.recordHedgeOutcome(how);
  }

  /** Failures that the request itself causes cost nothing: a node would try all copies too. */
  @Override
  public boolean canRetry(Exception failure) {
    boolean may = !isNodeFault(failure) || retryBudget.tryWithdraw();
    counts.recordRetry(may ? reason(failure) : AttemptCounts.BUDGET_EXHAUSTED);
    return may;
  }

  @Override
  public boolean canRestart(Exception loss) {
    boolean may = retryBudget.tryWithdraw();
    counts.recordRestart(may ? nodeLossReason(loss) : AttemptCounts.BUDGET_EXHAUSTED);
    return may;
  }

  @Override
  public long stallCheckDelayNanos(PendingCall call) {
    return hedgePlanner.stallCheckDelayNanos(AttemptPolicy.outstanding(call));
  }

  @Override
  public boolean isStalled(PendingCall call) {
    return hedgePlanner.isStalled(AttemptPolicy.outstanding(call));
  }

  @Override
  public boolean canRespond(String nodeId) {
    return hedgePlanner.canRespond(nodeId);
  }

  @Override
  public @Nullable RestartPermit tryRestartStalled(int shards) {
    RestartPermit permit = hedgePlanner.tryRestart(shards);
    if (permit != null) {
      counts.recordRestart(NODE_STALLED);
    }
    return permit;
  }

  private static String nodeLossReason(Exception loss) {
    return loss instanceof NodeCallException sending
            && sending.kind() != NodeCallException.Kind.REMOTE
        ? DisplayFormat.toKebabCase(sending.kind())
        : "context-lost";
  }

  private static boolean isNodeFault(Exception failure) {
    return failure instanceof NodeCallException sending
        && (sending.kind() != NodeCallException.Kind.REMOTE
            || sending.status() == HttpStatus.TOO_MANY_REQUESTS
            || sending.status() >= HttpStatus.INTERNAL_SERVER_ERROR);
  }

  private static String reason(Exception failure) {
    if (!(failure instanceof NodeCallException sending)) {
      return "not-sent";
    }
    if (sending.status() == HttpStatus.TOO_MANY_REQUESTS) {
      return "rejected";
    }
    return sending.kind() == NodeCallException.Kind.REMOTE
        ? "error"
        : DisplayFormat.toKebabCase(sending.kind());
  }
}
