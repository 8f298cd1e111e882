package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What waits for each node, for one thread pool. Guarded by the lock of its queue. */
final class NodeBacklogs {
  /** The ratio above which two numbers count as about equal. */
  private static final double SIMILARITY_RATIO = 0.7;

  private final Map<String, NodeBacklog> byNode = new HashMap<>();
  private final NodeConcurrencyLimiters limiters;
  private final NodeThreadPool threadPool;

  NodeBacklogs(NodeConcurrencyLimiters limiters, NodeThreadPool threadPool) {
    this.limiters = limiters;
    this.threadPool = threadPool;
  }

  /** Returns the backlogs of nodes, in their order. */
  List<NodeBacklog> of(Collection<String> nodeIds) {
    List<NodeBacklog> of = new ArrayList<>(nodeIds.size());
    nodeIds.forEach(nodeId -> of.add(backlog(nodeId)));
    return of;
  }

  /** Returns the backlog of a node; an empty one if nothing has waited for it. */
  NodeBacklog backlog(String nodeId) {
    return byNode.computeIfAbsent(
        nodeId, id -> new NodeBacklog(id, () -> limiters.limiter(id, threadPool).heldSlots()));
  }

  /** Returns the backlog of a node; null if nothing has waited for it. */
  @Nullable NodeBacklog find(String nodeId) {
    return byNode.get(nodeId);
  }

  /** Returns the nodes for which something waits or has waited. */
  Set<String> nodeIds() {
    return byNode.keySet();
  }

  /** Drops all other nodes for which nothing waits. */
  void retainNodes(Set<String> nodeIds) {
    byNode.values().removeIf(backlog -> backlog.isIdle() && !nodeIds.contains(backlog.nodeId));
  }

  /**
   * Chooses the need that a request waits for: the one whose nodes recently blocked the most
   * requests. Among about equal ones always the same, so that requests with the same needs wait in
   * one queue.
   *
   * @param all backlogs of the demand's nodes
   */
  WaitQueue.Bottleneck chooseBottleneck(NodeDemand demand, List<NodeBacklog> all) {
    double most = 0;
    for (NodeDemand.Need need : demand.needs()) {
      most = Math.max(most, recentlyBlocked(need));
    }
    NodeDemand.Need longest = demand.needs().getFirst();
    for (NodeDemand.Need need : demand.needs().reversed()) {
      longest = recentlyBlocked(need) >= SIMILARITY_RATIO * most ? need : longest;
    }
    return new WaitQueue.Bottleneck(longest, of(longest.nodes()), all);
  }

  /** Returns the number of recently blocked requests at the node of a need that blocked fewest. */
  private double recentlyBlocked(NodeDemand.Need need) {
    double fewest = Double.POSITIVE_INFINITY;
    for (String nodeId : need.nodes()) {
      fewest = Math.min(fewest, backlog(nodeId).recentlyBlocked());
    }
    return fewest;
  }
}
