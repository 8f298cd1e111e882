package dev.weir.core.coordinate;

import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.model.RequestContext;

/** Learns for how long the calls of each tenant hold slots of nodes. Safe on any thread. */
public interface TenantAccounting {
  /** Learns nothing, and takes all requests for those of one tenant. */
  TenantAccounting NONE =
      new TenantAccounting() {
        @Override
        public String tenantOf(RequestContext context) {
          return "";
        }

        @Override
        public void onCallEnd(NodeThreadPool pool, String tenant, int costClass, long startNanos) {}
      };

  /** Returns who shares a busy node's capacity with others. */
  String tenantOf(RequestContext context);

  /**
   * Records a call that ended, with whatever outcome.
   *
   * @param costClass equal for requests of about the same cost
   * @param startNanos when the call was sent, on the clock of its limiter
   */
  void onCallEnd(NodeThreadPool pool, String tenant, int costClass, long startNanos);
}
