package dev.weir.admission.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lists, by node, the wait queues that no node has capacity for. Each queue is listed at the nodes
 * of one of its needs: until that need can be met, the others don't matter. Guarded by the lock of
 * its admission queue.
 *
 * @param <T> requests
 */
final class BlockedQueues<T> {
  private final Map<String, Set<WaitQueue<T>>> byNode = new HashMap<>();

  boolean isEmptyAt(String nodeId) {
    return !byNode.containsKey(nodeId);
  }

  /** Returns a copy of the queues that are blocked at a node, longest blocked first. */
  List<WaitQueue<T>> at(String nodeId) {
    Set<WaitQueue<T>> blocked = byNode.get(nodeId);
    return blocked == null ? List.of() : List.copyOf(blocked);
  }

  /** Blocks a queue until one of the nodes of this need has capacity. */
  void block(WaitQueue<T> waitQueue, NodeDemand.Need need) {
    unblock(waitQueue);
    List<NodeBacklog> backlogs = new ArrayList<>(2);
    for (NodeBacklog backlog : waitQueue.bottleneck().allBacklogs()) {
      if (need.nodes().contains(backlog.nodeId)) {
        byNode.computeIfAbsent(backlog.nodeId, nodeId -> new LinkedHashSet<>()).add(waitQueue);
        backlogs.add(backlog);
      }
    }
    waitQueue.blockAt(backlogs);
  }

  void unblock(WaitQueue<T> waitQueue) {
    for (NodeBacklog backlog : waitQueue.blockedAt()) {
      Set<WaitQueue<T>> blocked = byNode.get(backlog.nodeId);
      if (blocked != null && blocked.remove(waitQueue) && blocked.isEmpty()) {
        byNode.remove(backlog.nodeId);
      }
    }
    waitQueue.blockAt(List.of());
  }
}
