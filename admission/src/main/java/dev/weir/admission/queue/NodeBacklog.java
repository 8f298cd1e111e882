package dev.weir.admission.queue;

import java.util.function.Supplier;

/** Tracks the requests that wait for one node. Guarded by the lock of its queue. */
final class NodeBacklog {
  private static final double GAIN = 0.05;

  final String nodeId;

  /** Waiting requests that need this node or may use it; they may need other nodes too. */
  final BacklogTracker allRequests = new BacklogTracker();

  /** The clients' requests that {@link #allRequests} are parts of. */
  final WaitingOrigins allOrigins = new WaitingOrigins();

  /** Waiting requests that are expected to wait longer for this node than for any other. */
  final BacklogTracker bottleneckRequests = new BacklogTracker();

  /** What each tenant got of the node; orders those that wait for it. */
  final TenantServiceTracker tenantService = new TenantServiceTracker();

  /** Positions in queues that are blocked at this node. */
  int blockedPositions;

  /** The average number of blocked requests, sampled at arrivals. */
  private double recentlyBlocked;

  private final Supplier<HeldSlots> heldSlots;

  /**
   * Creates an empty backlog.
   *
   * @param heldSlots returns who has calls in flight to the node; other ones after its restart
   */
  NodeBacklog(String nodeId, Supplier<HeldSlots> heldSlots) {
    this.nodeId = nodeId;
    this.heldSlots = heldSlots;
  }

  HeldSlots heldSlots() {
    return heldSlots.get();
  }

  /**
   * Returns the expected wait of a request behind all others, in nanoseconds; 0 while unknown. By
   * Little's law both trackers give the same result where nodes are alike, and {@link #allRequests}
   * has less noise. If only few of all requests wait longest here, other nodes delay them, and only
   * {@link #bottleneckRequests} is meaningful.
   *
   * @param needs the number of the request's needs, any of which may be its bottleneck
   */
  double expectedWaitNanos(int needs) {
    boolean alike = 2 * needs * (bottleneckRequests.waiting() + 1) >= allRequests.waiting();
    return expectedWaitNanos(alike ? allRequests : bottleneckRequests);
  }

  private static double expectedWaitNanos(BacklogTracker backlog) {
    return (backlog.waiting() + 1) * backlog.admissionIntervalNanos();
  }

  /** Records an arrival. */
  void onArrival() {
    recentlyBlocked += GAIN * (blockedPositions - recentlyBlocked);
  }

  double recentlyBlocked() {
    return recentlyBlocked;
  }

  boolean isIdle() {
    return allRequests.waiting() == 0;
  }
}
