package dev.weir.core.coordinate;

import java.util.HashMap;
import java.util.Map;

/**
 * How many requests of one round may be outstanding on a node at a time. Confined to the request's
 * home.
 */
final class Permits {
  private final int most;
  private final Map<String, Integer> taken = new HashMap<>();

  /** Makes them; {@code most} is 0 for no bound. */
  Permits(int most) {
    this.most = most;
  }

  /** Whether there is a bound. */
  boolean bound() {
    return most > 0;
  }

  /** How many may be outstanding on a node; 0 for no bound. */
  int most() {
    return most;
  }

  boolean free(String nodeId) {
    return most == 0 || taken.getOrDefault(nodeId, 0) < most;
  }

  void take(String nodeId) {
    if (most > 0) {
      taken.merge(nodeId, 1, Integer::sum);
    }
  }

  void giveBack(String nodeId) {
    if (most == 0) {
      return;
    }
    int now = taken.getOrDefault(nodeId, 0);
    if (now == 0) {
      throw new IllegalStateException(
          "got a permit of node " + nodeId + " (expected: it was taken)");
    }
    taken.put(nodeId, now - 1);
  }
}
