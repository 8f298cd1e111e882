package dev.weir.admission.queue;

/** Observes the requests that wait for one node. Guarded by the lock of its queue. */
final class NodeBacklog {
  private static final double GAIN = 0.05;

  final String nodeId;

  /** Requests that need the node, or may go to it, whatever else they need. */
  final BacklogTracker allRequests = new BacklogTracker();

  /** Requests that are expected to wait longest for this one of all nodes that they need. */
  final BacklogTracker bottleneckRequests = new BacklogTracker();

  /** Positions in queues that are blocked at this node. */
  int blockedPositions;

  /** The recent number of blocked requests, sampled at arrivals. */
  private double recentlyBlocked;

  NodeBacklog(String nodeId) {
    this.nodeId = nodeId;
  }

  /**
   * The wait of a request behind all others, in nanoseconds; 0 while unknown. By Little's law both
   * trackers give the same where nodes are alike, and {@link #allRequests} has less noise. Where
   * few of all requests wait longest here, other nodes keep them, and only {@link
   * #bottleneckRequests} is meaningful.
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
  void onArrival(long now) {
    allRequests.onArrival(now);
    recentlyBlocked += GAIN * (blockedPositions - recentlyBlocked);
  }

  double recentlyBlocked() {
    return recentlyBlocked;
  }

  boolean isIdle() {
    return allRequests.waiting() == 0;
  }
}
