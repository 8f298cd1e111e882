package dev.weir.core.coordinate.slot;

import dev.weir.model.NodeCallType;
import dev.weir.model.RequestContext;

/**
 * Names the tenant of a request, and learns what the calls of each tenant cost. Safe on any thread.
 */
public interface TenantAccounting {
  /** Learns nothing, and takes all requests for those of one tenant. */
  TenantAccounting NONE =
      new TenantAccounting() {
        @Override
        public String tenantOf(RequestContext context) {
          return "";
        }

        @Override
        public void recordCallCost(NodeCallType work, String tenant, long startNanos) {}
      };

  /** Returns who shares a busy node's capacity with others. Call it on the request's event loop. */
  String tenantOf(RequestContext context);

  /**
   * Records for how long a call held its slot, just before the slot is freed.
   *
   * @param startNanos when the call was sent, on the clock of its limiter
   */
  void recordCallCost(NodeCallType work, String tenant, long startNanos);
}
