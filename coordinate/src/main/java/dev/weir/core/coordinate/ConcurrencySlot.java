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
 * @param costs hears of the call's end, before its slot is free
 */
record ConcurrencySlot(
    @Nullable NodeConcurrencyLimiter lane,
    int costClass,
    long startNanos,
    CallCostRecorder costs) {
  /** Counts nothing. */
  static final ConcurrencySlot UNCOUNTED =
      new ConcurrencySlot(null, 0, 0, CallCostRecorder.NONE);

  /** Counts a call that is being sent. */
  static ConcurrencySlot acquire(
      NodeConcurrencyLimiters lanes, CallCostRecorder costs, String nodeId, NodeCallType work) {
    NodeThreadPool kind = NodeThreadPool.forPhase(work.phase());
    if (kind == null) {
      return UNCOUNTED;
    }
    NodeConcurrencyLimiter lane = lanes.limiter(nodeId, kind);
    return new ConcurrencySlot(lane, work.costClass(), lane.onCallStart(), costs);
  }

  /** Ends with a reply; {@code queue} is negative when the node does not report its queue. */
  void onReply(int queue, RequestContext context) {
    if (lane != null) {
      costs.onCallEnd(lane.threadPool(), context, costClass, startNanos);
      lane.onResponse(costClass, queue, startNanos, true);
    }
  }

  /** Ends with a failure. */
  void onFailure(NodeCallException failure, RequestContext context) {
    if (lane == null) {
      return;
    }
    costs.onCallEnd(lane.threadPool(), context, costClass, startNanos);
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
  void onAbandoned(RequestContext context) {
    if (lane != null) {
      costs.onCallEnd(lane.threadPool(), context, costClass, startNanos);
      lane.onAbandoned();
    }
  }
}
