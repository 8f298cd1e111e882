package dev.weir.admission.queue;

import org.jspecify.annotations.Nullable;

/**
 * What one tenant does at the node at which a request's wait is judged. Computes each answer when
 * it is asked for. Guarded by the lock of its queue.
 */
record TenantAtNode<T>(TenantQueue<T> tenant, NodeBacklog node, FairTenantScheduler<T> scheduler) {
  /** The part of its share of a node's calls that is clearly below the share. */
  private static final double LOW_SHARE = 0.5;

  private @Nullable TenantBacklog backlog() {
    return tenant.backlogAt(node);
  }

  /** Counts the clients' requests with a part that waits for the node or may use it. */
  int originCount() {
    TenantBacklog backlog = backlog();
    return backlog == null ? 0 : backlog.originCount();
  }

  /** Returns the mean time between two admissions in nanoseconds; 0 while unknown. */
  double admissionIntervalNanos() {
    TenantBacklog backlog = backlog();
    return backlog == null ? 0 : backlog.admissionIntervalNanos();
  }

  /** Returns whether clearly more requests for the node arrive than leave. */
  boolean isGrowing() {
    TenantBacklog backlog = backlog();
    return backlog != null && backlog.isGrowing();
  }

  /**
   * Returns whether others have most of what the node can do, and the tenant less than half of its
   * share. False if the share is less than one call, and for tenants that are counted as one, whose
   * calls are counted by their own names.
   */
  boolean isBelowShare() {
    if (tenant.name.equals(FairTenantScheduler.OTHER_TENANTS)) {
      return false;
    }
    HeldSlots slots = node.heldSlots();
    double fair = scheduler.fairCalls(tenant, node, slots.countOfOthers(tenant.name));
    return fair >= 1 && slots.countOf(tenant.name) < LOW_SHARE * fair;
  }
}
