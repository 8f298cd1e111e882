package dev.weir.core.coordinate;

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
 * @param lane null for a call that uses no thread of a node's pool, or that was not sent
 * @param startNanos when the call was sent
 * @param tenant who holds the slot
 */
record ConcurrencySlot(
    @Nullable NodeConcurrencyLimiter lane,
    int costClass,
    long startNanos,
    String tenant,
    TenantAccounting accounting) {
  /** Counts nothing. */
  static final ConcurrencySlot UNCOUNTED =
      new ConcurrencySlot(null, 0, 0, "", TenantAccounting.NONE);

  /** Counts a call that is being sent. */
  static ConcurrencySlot acquire(
      NodeConcurrencyLimiters lanes,
      TenantAccounting accounting,
      String nodeId,
      NodeCallType work,
      RequestContext context) {
    NodeThreadPool kind = NodeThreadPool.forPhase(work.phase());
    if (kind == null) {
      return UNCOUNTED;
    }
    NodeConcurrencyLimiter lane = lanes.limiter(nodeId, kind);
    String tenant = accounting.tenantOf(context);
    long now = lane.onCallStart();
    lane.heldSlots().onCallStart(tenant, now);
    return new ConcurrencySlot(lane, work.costClass(), now, tenant, accounting);
  }

  /** Ends with a reply; {@code queue} is negative when the node does not report its queue. */
  void onReply(int queue) {
    if (lane != null) {
      onEnd(lane);
      lane.onResponse(costClass, queue, startNanos, true);
    }
  }

  /** Ends with a failure. */
  void onFailure(NodeCallException failure) {
    if (lane == null) {
      return;
    }
    onEnd(lane);
    switch (failure.kind()) {
      case REMOTE, NOT_SENT -> {
        if (failure.status() == HttpStatus.TOO_MANY_REQUESTS) {
          lane.onRejection();
        } else {
          lane.onResponse(costClass, -1, startNanos, false);
        }
      }
      case CONNECTION_LOST, TIMED_OUT, MALFORMED, OVER_BUDGET -> lane.onAbandoned();
    }
  }

  /** Ends because the result is no longer needed. */
  void onAbandoned() {
    if (lane != null) {
      onEnd(lane);
      lane.onAbandoned();
    }
  }

  /** Accounts for the call before its slot is free, so that its tenant comes in its turn. */
  private void onEnd(NodeConcurrencyLimiter ending) {
    ending.heldSlots().onCallEnd(tenant);
    accounting.onCallEnd(ending.threadPool(), tenant, costClass, startNanos);
  }
}
