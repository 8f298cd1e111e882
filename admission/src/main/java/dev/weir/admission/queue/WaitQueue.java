package dev.weir.admission.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one tenant that need the same nodes and cost about the same, in order of arrival.
 * Guarded by the lock of its queue.
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
   * What the requests of a queue have in common.
   *
   * @param candidateNodes the candidates of each need
   * @param bottleneckNodes the need that they are expected to wait longest for
   */
  record Key(List<List<String>> candidateNodes, List<String> bottleneckNodes, int costClass) {}

  /**
   * Where a request waits.
   *
   * @param need the one that it is expected to wait longest for
   * @param bottleneckBacklogs of the nodes of that need
   * @param allBacklogs of all nodes that it may go to
   */
  record Bottleneck<T>(
      NodeDemand.Need need,
      List<NodeBacklog<T>> bottleneckBacklogs,
      List<NodeBacklog<T>> allBacklogs) {
    /**
     * The backlog by which it is judged: of its need's nodes the one where fewest were blocked
     * recently.
     */
    NodeBacklog<T> leastBlockedBacklog() {
      NodeBacklog<T> judgedBacklog = bottleneckBacklogs.getFirst();
      for (NodeBacklog<T> other : bottleneckBacklogs) {
        judgedBacklog =
            other.recentlyBlocked() < judgedBacklog.recentlyBlocked() ? other : judgedBacklog;
      }
      return judgedBacklog;
    }

    void onEnqueue(long now) {
      bottleneckBacklogs.forEach(backlog -> backlog.bottleneckRequests.onEnqueue(now));
      allBacklogs.forEach(backlog -> backlog.allRequests.onEnqueue(now));
    }

    void onRemove() {
      bottleneckBacklogs.forEach(backlog -> backlog.bottleneckRequests.onRemove());
      allBacklogs.forEach(backlog -> backlog.allRequests.onRemove());
    }

    /** Records that a request goes; call it before it is removed. */
    void onAdmit(long now) {
      bottleneckBacklogs.forEach(backlog -> backlog.bottleneckRequests.onAdmit(now));
      allBacklogs.forEach(backlog -> backlog.allRequests.onAdmit(now));
    }
  }

  WaitQueue(TenantQueue<T> tenant, Key key, Bottleneck<T> bottleneck) {
    this.tenant = tenant;
    this.key = key;
    this.bottleneck = bottleneck;
  }

  Bottleneck<T> bottleneck() {
    return bottleneck;
  }

  int size() {
    return positions.size();
  }

  /** The oldest request; there is one. */
  QueuePosition<T> head() {
    return positions.element();
  }

  Iterable<QueuePosition<T>> positions() {
    return positions;
  }

  /** Appends a position. */
  void add(QueuePosition<T> position, long now) {
    positions.add(position);
    blockedAt.forEach(backlog -> backlog.blockedPositions++);
    bottleneck.onEnqueue(now);
  }

  void remove(QueuePosition<T> position) {
    if (!positions.remove(position)) { // the head, but for what leaves or expires
      throw new IllegalStateException("got a place that does not wait (expected: one that does)");
    }
    blockedAt.forEach(backlog -> backlog.blockedPositions--);
    bottleneck.onRemove();
    if (positions.isEmpty()) {
      blockOn(null);
    }
  }

  /** Blocks until one of the nodes of a need has capacity; null unblocks. */
  void blockOn(NodeDemand.@Nullable Need need) {
    for (NodeBacklog<T> backlog : blockedAt) {
      backlog.blockedQueues.remove(this);
      backlog.blockedPositions -= size();
    }
    List<NodeBacklog<T>> at = new ArrayList<>(2);
    if (need != null) {
      for (NodeBacklog<T> backlog : bottleneck.allBacklogs()) {
        if (need.nodes().contains(backlog.nodeId)) {
          backlog.blockedQueues.add(this);
          backlog.blockedPositions += size();
          at.add(backlog);
        }
      }
    }
    blockedAt = at;
  }

  /** A node at which it is blocked; null for none. */
  @Nullable NodeBacklog<T> blockedAt() {
    return blockedAt.isEmpty() ? null : blockedAt.getFirst();
  }

  /**
   * Whether it goes before another.
   *
   * @param firstCome whether the order is by arrival rather than by virtual deadline
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
