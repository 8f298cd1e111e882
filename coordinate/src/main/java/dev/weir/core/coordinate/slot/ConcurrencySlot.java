package dev.weir.core.coordinate.slot;

import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.model.HttpStatus;
import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;
import dev.weir.protocol.NodeCallException;
import org.jspecify.annotations.Nullable;

/**
 * One call that counts towards its node's concurrency limit. Its owner ends it exactly once.
 *
 * @param limiter null for a call that uses no thread of a node's pool, or that was not sent
 * @param startNanos when the call was sent
 * @param tenant who holds the slot
 */
public record ConcurrencySlot(
    @Nullable NodeConcurrencyLimiter limiter,
    NodeCallType work,
    long startNanos,
    String tenant,
    TenantAccounting accounting) {
  /** Counts nothing. */
  public static final ConcurrencySlot UNCOUNTED =
      new ConcurrencySlot(null, NodeCallType.CAN_MATCH, 0, "", TenantAccounting.NONE);

  /** Counts a call that is being sent. */
  public static ConcurrencySlot acquire(
      NodeConcurrencyLimiters limiters,
      TenantAccounting accounting,
      String nodeId,
      NodeCallType work,
      RequestContext context) {
    NodeThreadPool threadPool = NodeThreadPool.forPhase(work.phase());
    if (threadPool == null) {
      return UNCOUNTED;
    }
    NodeConcurrencyLimiter limiter = limiters.limiter(nodeId, threadPool);
    String tenant = accounting.tenantOf(context);
    long now = limiter.onCallStart();
    limiter.heldSlots().onCallStart(tenant, now);
    return new ConcurrencySlot(limiter, work, now, tenant, accounting);
  }

  /** Ends with a reply; {@code queue} is negative when the node does not report its queue. */
  public void onReply(int queue) {
    if (limiter != null) {
      onEnd(limiter, true);
      limiter.onResponse(work.costClass(), queue, startNanos, true);
    }
  }

  /** Ends with a failure. */
  public void onFailure(NodeCallException failure) {
    if (limiter == null) {
      return;
    }
    boolean isRejection =
        failure.status() == HttpStatus.TOO_MANY_REQUESTS && !failure.isOverRequestCeiling();
    onEnd(
        limiter,
        switch (failure.kind()) {
          case REMOTE -> !isRejection;
          case MALFORMED, OVER_BUDGET -> true;
          case NOT_SENT, CONNECTION_LOST, TIMED_OUT -> false;
        });
    switch (failure.kind()) {
      case REMOTE, NOT_SENT -> {
        if (failure.isBeyondSharedBound()) {
          limiter.onAbandoned();
        } else if (isRejection) {
          limiter.onRejection(startNanos);
        } else {
          limiter.onResponse(work.costClass(), -1, startNanos, false);
        }
      }
      case CONNECTION_LOST, TIMED_OUT, MALFORMED, OVER_BUDGET -> limiter.onAbandoned();
    }
  }

  /** Ends because the result is no longer needed. */
  public void onAbandoned() {
    if (limiter != null) {
      onEnd(limiter, true);
      limiter.onAbandoned();
    }
  }

  /**
   * Accounts for the call before its slot is free, so that its tenant comes in its turn.
   *
   * @param hasWorked whether the node worked on the call for as long as it held its slot
   */
  private void onEnd(NodeConcurrencyLimiter ending, boolean hasWorked) {
    ending.heldSlots().onCallEnd(tenant);
    if (hasWorked) {
      accounting.recordCallCost(work, tenant, startNanos);
    }
  }
}
