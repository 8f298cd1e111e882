package dev.weir.admission.queue;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What waits at one node. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class NodeBacklog<T> {
  private static final double GAIN = 0.05;

  final String nodeId;

  /** Requests that need the node, or may go to it, whatever else they wait for. */
  final BacklogTracker allRequests = new BacklogTracker();

  /** Those of them that were expected to wait longest for this of all nodes that they need. */
  final BacklogTracker bottleneckRequests = new BacklogTracker();

  /**
   * Lines that stand still because this node has no room, and with it no other that would do
   * instead. Each line is here at the nodes of one of its needs: until there is room for that one,
   * nobody needs to look at the others.
   */
  final Set<WaitQueue<T>> blockedQueues = new LinkedHashSet<>();

  /** How many wait in these lines. */
  int blockedPositions;

  /** As many as stood still lately when one more asked. */
  private double recentlyBlocked;

  NodeBacklog(String nodeId) {
    this.nodeId = nodeId;
  }

  /**
   * What one waits that comes after all others, in nanoseconds; 0 while not known. By Little's law
   * both numbers tell the same where nodes are alike, and {@link #allRequests} with less noise;
   * where few of all wait longest here, others keep them, and only {@link #bottleneckRequests}
   * tells.
   *
   * @param needs how many needs it has, any of which may be the one to wait for
   */
  double expectedWaitNanos(int needs) {
    boolean alike = 2 * needs * (bottleneckRequests.waiting() + 1) >= allRequests.waiting();
    return expectedWaitNanos(alike ? allRequests : bottleneckRequests);
  }

  private static double expectedWaitNanos(BacklogTracker backlog) {
    return (backlog.waiting() + 1) * backlog.admissionIntervalNanos();
  }

  /** One more asks. */
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
