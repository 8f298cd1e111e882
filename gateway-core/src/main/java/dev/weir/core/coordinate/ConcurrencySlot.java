package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeConcurrencyLimiter;
import dev.weir.admission.queue.NodeConcurrencyLimiters;
import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.model.NodeCallType;
import dev.weir.protocol.NodeCallException;
import org.jspecify.annotations.Nullable;

/**
 * One call among those that a node has at once of its class. Whoever made it ends it exactly once.
 *
 * @param lane null for a call that takes no thread of a node's pool, or that no node got
 * @param startNanos when it was sent
 */
record ConcurrencySlot(@Nullable NodeConcurrencyLimiter lane, int costClass, long startNanos) {
  /** Counts nothing. */
  static final ConcurrencySlot UNCOUNTED = new ConcurrencySlot(null, 0, 0);

  private static final int TOO_MANY_REQUESTS = 429;

  /** Counts a call that is being sent. */
  static ConcurrencySlot acquire(NodeConcurrencyLimiters lanes, String nodeId, NodeCallType work) {
    NodeThreadPool kind = NodeThreadPool.forPhase(work.phase());
    if (kind == null) {
      return UNCOUNTED;
    }
    NodeConcurrencyLimiter lane = lanes.limiter(nodeId, kind);
    return new ConcurrencySlot(lane, work.costClass(), lane.onCallStart());
  }

  /** It was answered; {@code queue} is negative where the node does not tell its queue. */
  void onReply(int queue) {
    if (lane != null) {
      lane.onResponse(costClass, queue, startNanos, true);
    }
  }

  /** It failed. */
  void onFailure(NodeCallException failure) {
    if (lane == null) {
      return;
    }
    switch (failure.kind()) {
      case REMOTE, NOT_SENT -> {
        if (failure.status() == TOO_MANY_REQUESTS) {
          lane.onRejection();
        } else {
          lane.onResponse(costClass, -1, startNanos, false);
        }
      }
      case CONNECTION_LOST, TIMED_OUT, MALFORMED, OVER_BUDGET -> lane.onAbandoned();
    }
  }

  /** Nobody waits for it any more. */
  void onAbandoned() {
    if (lane != null) {
      lane.onAbandoned();
    }
  }
}
