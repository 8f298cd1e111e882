package dev.weir.admission.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one tenant that need the same nodes and cost about the same, in the order in which
 * they came. Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class WaitQueue<T> {
  final TenantQueue<T> tenant;
  final Key key;
  private final Bottleneck<T> bottleneck;
  private final Deque<QueuePosition<T>> positions = new ArrayDeque<>();
  private List<NodeBacklog<T>> blockedAt = List.of();

  /**
   * What those in a line have in common.
   *
   * @param candidateNodes of each need the nodes that will do
   * @param bottleneckNodes the need that they are expected to wait longest for
   */
  record Key(List<List<String>> candidateNodes, List<String> bottleneckNodes, int costClass) {}

  /**
   * Where a request waits.
   *
   * @param need the one that it is expected to wait longest for
   * @param bottleneckBacklogs at the nodes of that need
   * @param allBacklogs at all nodes that it may go to
   */
  record Bottleneck<T>(
      NodeDemand.Need need,
      List<NodeBacklog<T>> bottleneckBacklogs,
      List<NodeBacklog<T>> allBacklogs) {
    /** Where it is judged: at that node of its need where fewest stood still lately. */
    NodeBacklog<T> leastBlockedBacklog() {
      NodeBacklog<T> judged = bottleneckBacklogs.getFirst();
      for (NodeBacklog<T> other : bottleneckBacklogs) {
        judged = other.recentlyBlocked() < judged.recentlyBlocked() ? other : judged;
      }
      return judged;
    }

    void onEnqueue(long now) {
      bottleneckBacklogs.forEach(crowd -> crowd.bottleneckRequests.onEnqueue(now));
      allBacklogs.forEach(crowd -> crowd.allRequests.onEnqueue(now));
    }

    void onRemove() {
      bottleneckBacklogs.forEach(crowd -> crowd.bottleneckRequests.onRemove());
      allBacklogs.forEach(crowd -> crowd.allRequests.onRemove());
    }

    /** One of what waits goes now; call before it is removed. */
    void onAdmit(long now) {
      bottleneckBacklogs.forEach(crowd -> crowd.bottleneckRequests.onAdmit(now));
      allBacklogs.forEach(crowd -> crowd.allRequests.onAdmit(now));
    }
  }

  WaitQueue(TenantQueue<T> tenant, Key key, Bottleneck<T> spot) {
    this.tenant = tenant;
    this.key = key;
    this.bottleneck = spot;
  }

  Bottleneck<T> bottleneck() {
    return bottleneck;
  }

  int size() {
    return positions.size();
  }

  /** The first; there is one. */
  QueuePosition<T> head() {
    return positions.element();
  }

  Iterable<QueuePosition<T>> positions() {
    return positions;
  }

  /** Takes a place at the end. */
  void add(QueuePosition<T> place, long now) {
    positions.add(place);
    blockedAt.forEach(crowd -> crowd.blockedPositions++);
    bottleneck.onEnqueue(now);
  }

  void remove(QueuePosition<T> place) {
    if (!positions.remove(place)) { // the head, but for what leaves or expires
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    blockedAt.forEach(crowd -> crowd.blockedPositions--);
    bottleneck.onRemove();
    if (positions.isEmpty()) {
      blockOn(null);
    }
  }

  /** Stands still until one of the nodes of a need has room; null for none of them. */
  void blockOn(NodeDemand.@Nullable Need need) {
    for (NodeBacklog<T> crowd : blockedAt) {
      crowd.blockedQueues.remove(this);
      crowd.blockedPositions -= size();
    }
    List<NodeBacklog<T>> at = new ArrayList<>(2);
    if (need != null) {
      for (NodeBacklog<T> crowd : bottleneck.allBacklogs()) {
        if (need.nodes().contains(crowd.nodeId)) {
          crowd.blockedQueues.add(this);
          crowd.blockedPositions += size();
          at.add(crowd);
        }
      }
    }
    blockedAt = at;
  }

  /** A node at which it stands still; null when it does nowhere. */
  @Nullable NodeBacklog<T> blockedAt() {
    return blockedAt.isEmpty() ? null : blockedAt.getFirst();
  }

  /**
   * Whether it is its turn before another's.
   *
   * @param firstCome by when they came, and not by their virtual deadlines
   */
  boolean isBefore(WaitQueue<T> other, boolean firstCome) {
    if (tenant != other.tenant) {
      int order = Double.compare(tenant.virtualStart(), other.tenant.virtualStart());
      return order == 0 ? tenant.name.compareTo(other.tenant.name) < 0 : order < 0;
    }
    return firstCome
        ? head().sequence < other.head().sequence
        : head().virtualDeadlineNanos() < other.head().virtualDeadlineNanos();
  }
}
