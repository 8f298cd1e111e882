package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What waits of one tenant, and its place among the tenants by start-time fair queueing (Goyal et
 * al. 1996): it gets on by what its requests cost over its weight, and who is behind goes next.
 * Guarded by the lock of its queue.
 */
final class TenantQueue<T> {
  final String name;
  private final Map<WaitQueue.Key, WaitQueue<T>> waitQueues = new LinkedHashMap<>();
  private int waiting;

  /** Where it stands; what waits next begins there. */
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

  /** Takes its place at a virtual time, or where it had got to. */
  void activate(double virtual, double share) {
    virtualStart = Math.max(virtual, virtualStart);
    weight = share;
  }

  /** How much more than another it may have; as it was when it took its place. */
  double weight() {
    return weight;
  }

  /** One of its requests goes. */
  void charge(double cost) {
    virtualStart += cost / weight;
  }

  /** Adds a place at the end of its line. */
  WaitQueue<T> add(QueuePosition<T> place, WaitQueue.Bottleneck<T> spot, long now) {
    NodeDemand demand = place.queuedRequest.demand();
    WaitQueue.Key key =
        new WaitQueue.Key(
            demand.candidateNodes(), spot.need().nodes(), place.queuedRequest.costClass());
    WaitQueue<T> line = waitQueues.computeIfAbsent(key, one -> new WaitQueue<>(this, one, spot));
    line.add(place, now);
    waiting++;
    return line;
  }

  void remove(QueuePosition<T> place, WaitQueue<T> line) {
    line.remove(place);
    waiting--;
    if (line.size() == 0) {
      waitQueues.remove(line.key);
    }
  }

  /** How many of those that wait longest at a node have their turn before a moment. */
  int countBefore(NodeBacklog<T> crowd, double turn) {
    int count = 0;
    for (WaitQueue<T> line : waitQueues.values()) {
      if (line.bottleneck().bottleneckBacklogs().contains(crowd)
          && line.head().virtualDeadlineNanos() <= turn) {
        count += line.size();
      }
    }
    return count;
  }

  /** All that wait. */
  List<QueuePosition<T>> allPositions() {
    List<QueuePosition<T>> all = new ArrayList<>(waiting);
    waitQueues.values().forEach(line -> line.positions().forEach(all::add));
    return all;
  }
}
