package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.model.RequestContext;

/** Learns how long the calls of each tenant hold a slot of a node. Safe on any thread. */
@FunctionalInterface
public interface CallCostRecorder {
  /** Learns nothing. */
  CallCostRecorder NONE = (pool, context, costClass, startNanos) -> {};

  /**
   * Records a call that ended, with whatever outcome.
   *
   * @param context of the request that sent it
   * @param costClass equal for requests of about the same cost
   * @param startNanos when the call was sent, on the clock of its limiter
   */
  void onCallEnd(NodeThreadPool pool, RequestContext context, int costClass, long startNanos);
}
