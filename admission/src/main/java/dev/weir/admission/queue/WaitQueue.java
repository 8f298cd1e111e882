package dev.weir.admission.queue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Requests of one tenant that need the same nodes and cost about the same, in order of arrival.
 * Guarded by the lock of its queue.
 *
 * @param <T> requests
 */
final class WaitQueue<T> {
  final TenantQueue<T> tenant;
  final Key key;
  private final Bottleneck bottleneck;
  private final Deque<QueuePosition<T>> positions = new ArrayDeque<>();
  private List<NodeBacklog> blockedAt = List.of();

  /**
   * The properties that the requests of one queue share.
   *
   * @param candidateNodes the candidates of each need
   * @param bottleneckNodes the candidates of the need that they are expected to wait longest for
   */
  record Key(List<List<String>> candidateNodes, List<String> bottleneckNodes, int costClass) {}

  /**
   * Where a request waits.
   *
   * @param need the one that it is expected to wait longest for
   * @param bottleneckBacklogs of the nodes of that need
   * @param allBacklogs of all candidate nodes
   */
  record Bottleneck(
      NodeDemand.Need need, List<NodeBacklog> bottleneckBacklogs, List<NodeBacklog> allBacklogs) {
    /**
     * Returns the backlog at which the request's wait is judged: of the node that blocked fewest
     * requests recently, among the need's nodes.
     */
    NodeBacklog leastBlockedBacklog() {
      NodeBacklog judgedBacklog = bottleneckBacklogs.getFirst();
      for (NodeBacklog other : bottleneckBacklogs) {
        judgedBacklog =
            other.recentlyBlocked() < judgedBacklog.recentlyBlocked() ? other : judgedBacklog;
      }
      return judgedBacklog;
    }

    void onEnqueue(Object origin, long now) {
      bottleneckBacklogs.forEach(backlog -> backlog.bottleneckRequests.onEnqueue(now));
      allBacklogs.forEach(backlog -> {
        backlog.allRequests.onEnqueue(now);
        backlog.allOrigins.add(origin);
      });
    }

    void onRemove(Object origin) {
      bottleneckBacklogs.forEach(backlog -> backlog.bottleneckRequests.onRemove());
      allBacklogs.forEach(backlog -> {
        backlog.allRequests.onRemove();
        backlog.allOrigins.remove(origin);
      });
    }

    /** Records that a request is admitted. Call it before the request is removed. */
    void onAdmit(long now) {
      bottleneckBacklogs.forEach(backlog -> backlog.bottleneckRequests.onAdmit(now));
      allBacklogs.forEach(backlog -> backlog.allRequests.onAdmit(now));
    }
  }

  WaitQueue(TenantQueue<T> tenant, Key key, Bottleneck bottleneck) {
    this.tenant = tenant;
    this.key = key;
    this.bottleneck = bottleneck;
  }

  Bottleneck bottleneck() {
    return bottleneck;
  }

  int size() {
    return positions.size();
  }

  /** Returns the oldest request; the queue must not be empty. */
  QueuePosition<T> head() {
    return positions.element();
  }

  Iterable<QueuePosition<T>> positions() {
    return positions;
  }

  /** Adds a position. */
  void add(QueuePosition<T> position, long now) {
    if (positions.isEmpty() || positions.getLast().sequence < position.sequence) {
      positions.add(position);
    } else {
      insert(position);
    }
    blockedAt.forEach(backlog -> backlog.blockedPositions++);
    bottleneck.onEnqueue(position.queuedRequest.origin(), now);
  }

  /** Inserts a widened position, which arrived before some that wait here already. */
  private void insert(QueuePosition<T> position) {
    Deque<QueuePosition<T>> later = new ArrayDeque<>();
    while (!positions.isEmpty() && positions.getLast().sequence > position.sequence) {
      later.addFirst(positions.removeLast());
    }
    positions.add(position);
    positions.addAll(later);
  }

  void remove(QueuePosition<T> position) {
    if (!positions.remove(position)) { // mostly the head; others leave or expire
      throw new IllegalStateException(
          "got a position that does not wait (expected: a waiting one)");
    }
    blockedAt.forEach(backlog -> backlog.blockedPositions--);
    bottleneck.onRemove(position.queuedRequest.origin());
  }

  /** Records the nodes at which the queue is blocked; none if it is not. */
  void blockAt(List<NodeBacklog> backlogs) {
    blockedAt.forEach(backlog -> backlog.blockedPositions -= size());
    blockedAt = backlogs;
    blockedAt.forEach(backlog -> backlog.blockedPositions += size());
  }

  List<NodeBacklog> blockedAt() {
    return blockedAt;
  }

  /**
   * Returns whether this queue comes before another at a node that both wait for.
   *
   * @param firstCome whether the order is by arrival instead of virtual deadline
   */
  boolean isBefore(WaitQueue<T> other, NodeBacklog node, boolean firstCome) {
    if (tenant != other.tenant) {
      int order =
          Double.compare(
              node.tenantService.virtualStart(tenant.name),
              node.tenantService.virtualStart(other.tenant.name));
      return order == 0 ? tenant.name.compareTo(other.tenant.name) < 0 : order < 0;
    }
    return firstCome
        ? head().sequence < other.head().sequence
        : head().virtualDeadlineNanos() < other.head().virtualDeadlineNanos();
  }
}
