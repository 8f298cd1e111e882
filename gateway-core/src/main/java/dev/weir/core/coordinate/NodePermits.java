package dev.weir.core.coordinate;

import java.util.HashMap;
import java.util.Map;

/**
 * How many requests of one round may be outstanding on a node at a time. Confined to the request's
 * home.
 */
final class NodePermits {
  private final int maxPerNode;
  private final Map<String, Integer> acquiredByNode = new HashMap<>();

  /** Makes them; {@code most} is 0 for no bound. */
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
