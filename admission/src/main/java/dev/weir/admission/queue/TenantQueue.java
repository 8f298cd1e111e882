package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The waiting requests of one tenant, with its position by start-time fair queueing (Goyal et al.
 * 1996): it advances by the cost of its requests over its weight, and the tenant that is behind
 * goes next. Guarded by the lock of its queue.
 */
final class TenantQueue<T> {
  final String name;
  private final Map<WaitQueue.Key, WaitQueue<T>> waitQueues = new LinkedHashMap<>();
  private int waiting;

  /** Its virtual time; its next request starts there. */
  private double virtualStart;

  private double weight = 1;

  TenantQueue(String name) {
    this.name = name;
  }

  int waiting() {
    return waiting;
  }

  double virtualStart() {
    return virtualStart;
  }

  /** Joins at a virtual time, or where it had got to. */
  void activate(double virtual, double share) {
    virtualStart = Math.max(virtual, virtualStart);
    weight = share;
  }

  /** Its weight when it joined. */
  double weight() {
    return weight;
  }

  /** Advances by a request that goes. */
  void charge(double cost) {
    virtualStart += cost / weight;
  }

  /** Appends a position to its queue. */
  WaitQueue<T> add(QueuePosition<T> position, WaitQueue.Bottleneck bottleneck, long now) {
    NodeDemand demand = position.queuedRequest.demand();
    WaitQueue.Key key =
        new WaitQueue.Key(
            demand.candidateNodes(), bottleneck.need().nodes(), position.queuedRequest.costClass());
    WaitQueue<T> waitQueue =
        waitQueues.computeIfAbsent(key, one -> new WaitQueue<>(this, one, bottleneck));
    waitQueue.add(position, now);
    waiting++;
    return waitQueue;
  }

  void remove(QueuePosition<T> position, WaitQueue<T> waitQueue) {
    waitQueue.remove(position);
    waiting--;
    if (waitQueue.size() == 0) {
      waitQueues.remove(waitQueue.key);
    }
  }

  /** How many that wait longest at a node have their turn before a moment. */
  int countBefore(NodeBacklog backlog, double turn) {
    int count = 0;
    for (WaitQueue<T> waitQueue : waitQueues.values()) {
      if (waitQueue.bottleneck().bottleneckBacklogs().contains(backlog)
          && waitQueue.head().virtualDeadlineNanos() <= turn) {
        count += waitQueue.size();
      }
    }
    return count;
  }

  /** All that wait. */
  List<QueuePosition<T>> allPositions() {
    List<QueuePosition<T>> all = new ArrayList<>(waiting);
    waitQueues.values().forEach(waitQueue -> waitQueue.positions().forEach(all::add));
    return all;
  }
}
