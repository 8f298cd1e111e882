package dev.weir.admission.queue;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * What calls that ended have cost their tenants. Calls end without a lock; their costs are applied
 * under that of the admission queue when their slots are freed. So the end of a call takes the lock
 * once.
 */
final class EndedCalls {
  private final Queue<CallCost> costs = new ConcurrentLinkedQueue<>();

  private record CallCost(String tenant, double ratio) {}

  /**
   * Adds a call; on any thread.
   *
   * @param ratio how long it held its slot, divided by what its cost class takes on an idle node
   */
  void add(String tenant, double ratio) {
    costs.add(new CallCost(tenant, ratio));
  }

  /** Lets the tenants learn from the calls since the last time; with the lock of the scheduler. */
  <T> void applyTo(FairTenantScheduler<T> scheduler) {
    for (CallCost cost = costs.poll(); cost != null; cost = costs.poll()) {
      scheduler.recordCallCost(scheduler.tenantQueue(cost.tenant()), cost.ratio());
    }
  }
}
