package dev.weir.core.coordinate;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds the requests of one round that are in flight to a node. Confined to the request's event
 * loop.
 */
final class NodePermits {
  private final int maxPerNode;
  private final Map<String, Integer> acquiredByNode = new HashMap<>();

  /** Sets the bound a node; 0 for no bound. */
  NodePermits(int most) {
    this.maxPerNode = most;
  }

  boolean isAvailable(String nodeId) {
    return maxPerNode == 0 || acquiredByNode.getOrDefault(nodeId, 0) < maxPerNode;
  }

  void acquire(String nodeId) {
    if (maxPerNode > 0) {
      acquiredByNode.merge(nodeId, 1, Integer::sum);
    }
  }

  void release(String nodeId) {
    if (maxPerNode == 0) {
      return;
    }
    int now = acquiredByNode.getOrDefault(nodeId, 0);
    if (now == 0) {
      throw new IllegalStateException(
          "got a permit of node " + nodeId + " (expected: it was taken)");
    }
    acquiredByNode.put(nodeId, now - 1);
  }
}
