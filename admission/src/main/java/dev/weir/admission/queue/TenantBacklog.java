package dev.weir.admission.queue;

import org.jspecify.annotations.Nullable;

/**
 * Tracks the waiting requests of one tenant that need one node or may use it; they may need other
 * nodes too. Exists only while there are some. Guarded by the lock of its queue.
 */
final class TenantBacklog {
  private final BacklogTracker requests = new BacklogTracker();

  /** The clients' requests that {@link #requests} are parts of. */
  private final WaitingOrigins origins = new WaitingOrigins();

  /** Counts each client's request once: as its first part comes, and as its last one leaves. */
  private final GrowthTracker growth;

  private @Nullable Object lastArrival;
  private final String tenant;
  private final HeldSlots heldSlots;

  /** Starts to wait for a node. */
  TenantBacklog(String tenant, HeldSlots heldSlots, long now) {
    this.tenant = tenant;
    this.heldSlots = heldSlots;
    this.growth = new GrowthTracker(now);
    heldSlots.onWaitStart(tenant);
  }

  /** Ends when nothing waits any more. */
  void close() {
    heldSlots.onWaitEnd(tenant);
  }

  /** Records a request that can't be admitted at once, whether it is rejected or waits. */
  void onArrival(Object origin, long now) {
    if (origins.parts(origin) == 0 && !origin.equals(lastArrival)) {
      growth.onArrival(now);
    }
    lastArrival = origin;
  }

  void onEnqueue(Object origin, long now) {
    requests.onEnqueue(now);
    origins.add(origin);
  }

  /** Records that a waiting request is admitted. Call it before the request is removed. */
  void onAdmit(Object origin, long now) {
    requests.onAdmit(now);
    if (origins.parts(origin) == 1) {
      growth.onAdmit(now);
    }
  }

  void onRemove(Object origin) {
    requests.onRemove();
    origins.remove(origin);
  }

  boolean isEmpty() {
    return requests.waiting() == 0;
  }

  /** Counts the clients' requests with a part that waits. */
  int originCount() {
    return origins.count();
  }

  /** Returns the mean time between two admissions in nanoseconds; 0 while unknown. */
  double admissionIntervalNanos() {
    return requests.admissionIntervalNanos();
  }

  /** Returns whether clearly more requests arrive than leave. */
  boolean isGrowing() {
    return growth.isGrowing();
  }
}
