package dev.weir.core.coordinate;

import dev.weir.core.coordinate.StallWatch.StallRule;
import dev.weir.core.plan.SearchPlan;
import dev.weir.core.plan.SearchPlan.PlannedShard;
import dev.weir.routing.tail.RestartPermit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a search starts over because nodes that hold its contexts were lost or do not
 * respond: at most once, within the budgets of retries and of hedged requests. Confined to the
 * request's event loop.
 */
final class SearchRestart {
  private final OutstandingCalls calls;
  private final SearchCancellation cancellation;
  private Set<String> avoidedNodeIds = Set.of();
  private boolean used;

  /** What permits the search to start over because of a stall; ends with the search. */
  private RestartPermit permit = RestartPermit.PAID;

  SearchRestart(OutstandingCalls calls, SearchCancellation cancellation) {
    this.calls = calls;
    this.cancellation = cancellation;
  }

  /** The plan with the nodes last that were lost or did not respond. */
  SearchPlan withNodesLast(SearchPlan plan) {
    return plan.withNodesLast(avoidedNodeIds);
  }

  /** Whether the search may start over after this loss; then it must. */
  boolean tryStart(NodeFanOut.@Nullable NodeLoss loss) {
    if (loss == null || used || cancellation.isCancelled()) {
      return false;
    }
    Exception cause = loss.firstCause();
    boolean hasBudget = loss.isStall() || cause == null || calls.tail().canRestart(cause);
    if (!hasBudget) {
      return false;
    }
    used = true;
    avoidedNodeIds = loss.nodeIds();
    return true;
  }

  /**
   * When to give up a round whose nodes do not respond: once it has taken as long as everything
   * before it, so that the search takes at most twice as long as if it had done so at once, and
   * only where other nodes that respond have copies of all shards.
   *
   * @param spentNanos the time that the search has taken so far
   * @return null for never
   */
  @Nullable StallRule stallRule(NodeRound<?> round, SearchPlan plan, long spentNanos) {
    if (used || !round.canStartOver() || !calls.tail().isHedgingEnabled()) {
      return null;
    }
    return new StallRule(
        spentNanos,
        silent ->
            !cancellation.isCancelled()
                && hasOtherCopies(round, plan, silent)
                && takePermit(plan.shardsToQuery().size()));
  }

  private boolean takePermit(int shards) {
    RestartPermit granted = calls.tail().tryRestartStalled(shards);
    if (granted == null) {
      return false;
    }
    permit = granted;
    return true;
  }

  /** The search has ended. */
  void end() {
    permit.end();
  }

  private boolean hasOtherCopies(NodeRound<?> round, SearchPlan plan, Set<String> avoided) {
    Map<String, Boolean> responds = new HashMap<>();
    for (PlannedShard shard : plan.shards()) {
      List<String> copies = shard.nodeIds();
      if (!shard.skip()
          && !copies.isEmpty()
          && copies.stream()
              .noneMatch(nodeId ->
                  !avoided.contains(nodeId)
                      && round.canStartOverOn(shard.ordinal(), nodeId)
                      && responds.computeIfAbsent(nodeId, calls.tail()::canRespond))) {
        return false;
      }
    }
    return true;
  }
}
