package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The waiting requests of one tenant, with its weight and what its calls cost. What a request costs
 * is known only when its calls have ended, so it is charged what the tenant's recent calls cost.
 * Guarded by the lock of its queue.
 */
final class TenantQueue<T> {
  private static final double COST_RATIO_GAIN = 0.05;
  private static final double MAX_COST_RATIO = 1e6;

  /** How much more than the average one call may count: one slow call says little. */
  private static final double MAX_COST_RISE = 4;

  final String name;
  private final Map<WaitQueue.Key, WaitQueue<T>> waitQueues = new LinkedHashMap<>();

  /** What waits for each node that a request may use. */
  private final Map<NodeBacklog, TenantBacklog> backlogByNode = new HashMap<>();

  private int waiting;

  private double weight = 1;

  /** How much longer the tenant's calls take than those of their cost classes on idle nodes. */
  private double costRatio = 1;

  private int measuredCalls;

  TenantQueue(String name) {
    this.name = name;
  }

  int waiting() {
    return waiting;
  }

  /** Sets the weight of the requests that wait from now on. Call it while none waits. */
  void activate(double currentWeight) {
    weight = currentWeight;
  }

  /** Returns the weight as of {@link #activate}. */
  double weight() {
    return weight;
  }

  /**
   * Learns from a call that ended how much the tenant's calls cost. A call counts at most a few
   * times the current average, so that it takes several slow calls to multiply it.
   *
   * @param ratio the time that it took, divided by that of its cost class on an idle node
   */
  void recordCallCost(double ratio) {
    measuredCalls = Math.min(measuredCalls + 1, 1000);
    costRatio +=
        Math.max(COST_RATIO_GAIN, 1.0 / measuredCalls)
            * (Math.clamp(ratio, 1, Math.min(MAX_COST_RATIO, MAX_COST_RISE * costRatio))
                - costRatio);
  }

  /** Returns how much more the tenant's calls cost than calls of their cost classes usually do. */
  double costRatio() {
    return costRatio;
  }

  /** Adds a position to its queue. */
  WaitQueue<T> add(QueuePosition<T> position, WaitQueue.Bottleneck bottleneck, long now) {
    NodeDemand demand = position.queuedRequest.demand();
    WaitQueue.Key key =
        new WaitQueue.Key(
            demand.candidateNodes(), bottleneck.need().nodes(), position.queuedRequest.costClass());
    WaitQueue<T> waitQueue =
        waitQueues.computeIfAbsent(key, one -> new WaitQueue<>(this, one, bottleneck));
    waitQueue.add(position, now);
    for (NodeBacklog backlog : waitQueue.bottleneck().allBacklogs()) {
      backlogByNode
          .computeIfAbsent(backlog, node -> startWaiting(node, now))
          .onEnqueue(position.queuedRequest.origin(), now);
    }
    waiting++;
    return waitQueue;
  }

  private TenantBacklog startWaiting(NodeBacklog node, long now) {
    node.tenantService.onWaitStart(name, weight);
    return new TenantBacklog(name, node.heldSlots(), now);
  }

  void remove(QueuePosition<T> position, WaitQueue<T> waitQueue) {
    waitQueue.remove(position);
    for (NodeBacklog backlog : waitQueue.bottleneck().allBacklogs()) {
      TenantBacklog own = backlogByNode.get(backlog);
      if (own != null) {
        own.onRemove(position.queuedRequest.origin());
        if (own.isEmpty()) {
          backlogByNode.remove(backlog);
          own.close();
          backlog.tenantService.onWaitEnd(name);
        }
      }
    }
    waiting--;
    if (waitQueue.size() == 0) {
      waitQueues.remove(waitQueue.key);
    }
  }

  /**
   * Counts the requests whose bottleneck is a node and whose virtual deadline is not after {@code
   * turn}.
   */
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

  /** Records a request that can't be admitted at once, whether it is rejected or waits. */
  void onArrival(Object origin, List<NodeBacklog> backlogs, long now) {
    for (NodeBacklog backlog : backlogs) {
      TenantBacklog own = backlogByNode.get(backlog);
      if (own != null) {
        own.onArrival(origin, now);
      }
    }
  }

  /** Records that a waiting request is admitted. Call it before the request is removed. */
  void onAdmit(Object origin, List<NodeBacklog> backlogs, long now) {
    for (NodeBacklog backlog : backlogs) {
      TenantBacklog own = backlogByNode.get(backlog);
      if (own != null) {
        own.onAdmit(origin, now);
      }
    }
  }

  /** Returns what waits for a node or may use it; null for nothing. */
  @Nullable TenantBacklog backlogAt(NodeBacklog backlog) {
    return backlogByNode.get(backlog);
  }

  /** Returns all waiting requests. */
  List<QueuePosition<T>> allPositions() {
    List<QueuePosition<T>> all = new ArrayList<>(waiting);
    waitQueues.values().forEach(waitQueue -> waitQueue.positions().forEach(all::add));
    return all;
  }
}
