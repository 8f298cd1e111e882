package dev.weir.bench.simulation;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The probe pool of Prequal (Wydrowski et al., Load is not what you should balance, NSDI 2024):
 * requests in flight above the 0.84 quantile are hot, a use adds one, a probe is of no use after a
 * second.
 *
 * <p>There, any server can answer any query, and the pool holds 16 probes; the worst and the oldest
 * ones are removed, and the others used a few times. Here, a query can go to few copies only. So
 * the pool holds the newest probe of every node until a newer one arrives, and the hot quantile is
 * that of all nodes. With the paper's removals, a query would find fewer than two of its copies in
 * the pool in a quarter of the cases, and would have to choose at random.
 */
final class ProbePool {
  static final int PROBES_PER_QUERY = 3;

  private static final double HOT_QUANTILE = 0.84;
  private static final long MAX_AGE_NANOS = 1_000_000_000L;

  private final Map<Integer, Probe> byNode = new HashMap<>();
  private final int[] recentLoads = new int[128];
  private int loadsSeen;
  private int hotAbove = Integer.MAX_VALUE;

  /** The response to a probe. */
  private static final class Probe {
    final int node;
    final long latencyNanos;
    final long receivedNanos;
    int requestsInFlight;

    Probe(int node, int requestsInFlight, long latencyNanos, long receivedNanos) {
      this.node = node;
      this.requestsInFlight = requestsInFlight;
      this.latencyNanos = latencyNanos;
      this.receivedNanos = receivedNanos;
    }
  }

  /** Adds a probe's response; it replaces an older one of the node. */
  void add(int node, int requestsInFlight, long latencyNanos, long now) {
    recentLoads[loadsSeen++ % recentLoads.length] = requestsInFlight;
    byNode.put(node, new Probe(node, requestsInFlight, latencyNanos, now));
  }

  /**
   * Chooses among nodes by their probes: the cold one with the least latency; if all are hot, the
   * one with the fewest requests in flight.
   *
   * @return -1 without a probe of any of them; the query then goes to a random one
   */
  int choose(List<Integer> candidates, long now) {
    updateThreshold();
    Probe best = null;
    for (int node : candidates) {
      Probe probe = byNode.get(node);
      if (probe != null && now - probe.receivedNanos <= MAX_AGE_NANOS) {
        best = best == null || isBetter(probe, best) ? probe : best;
      }
    }
    if (best == null) {
      return -1;
    }
    best.requestsInFlight++;
    return best.node;
  }

  private boolean isBetter(Probe one, Probe other) {
    boolean hot = isHot(one);
    if (hot != isHot(other)) {
      return !hot;
    }
    return hot
        ? one.requestsInFlight < other.requestsInFlight
        : one.latencyNanos < other.latencyNanos;
  }

  private boolean isHot(Probe probe) {
    return probe.requestsInFlight > hotAbove;
  }

  private void updateThreshold() {
    int count = Math.min(loadsSeen, recentLoads.length);
    if (count > 0) {
      int[] sorted = Arrays.copyOf(recentLoads, count);
      Arrays.sort(sorted);
      hotAbove = sorted[Math.min(count - 1, (int) (HOT_QUANTILE * count))];
    }
  }
}
