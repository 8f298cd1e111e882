package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.Arrays;

/**
 * Selects with complete knowledge: the true cost of every request that runs, waits or is in
 * transit, each node's speed, and the end of its pause. Takes the copy that will respond first. No
 * gateway can know this; algorithms are measured against it.
 */
final class OracleSelector implements ReplicaSelector {
  private static final int MAX_EXACT = 200;

  private final SimulatedCluster cluster;
  private final CurrentRequest current;

  OracleSelector(SimulatedCluster cluster, CurrentRequest current) {
    this.cluster = cluster;
    this.current = current;
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    double[] done = new double[count];
    for (int i = 0; i < count; i++) {
      ShardCopy copy = copies[i];
      double finish = finishTime(cluster.node(copy));
      int to = i;
      while (to > 0 && finish < done[to - 1]) {
        copies[to] = copies[to - 1];
        done[to] = done[to - 1];
        to--;
      }
      copies[to] = copy;
      done[to] = finish;
    }
  }

  /** Returns when the node would complete the request. */
  private double finishTime(SimulatedNode node) {
    if (node.failing || node.excluded) {
      return Double.MAX_VALUE;
    }
    double now = (double) Math.max(cluster.engine.nowNanos(), node.pausedUntil);
    double[] free = new double[node.threads];
    Arrays.fill(free, now);
    for (int i = 0; i < node.running.size(); i++) {
      free[i] = Math.max(now, (double) node.running.get(i).finishNanos);
    }
    boolean exact = node.queue.size() + node.arriving.size() <= MAX_EXACT;
    double rest = 0;
    for (SimulatedAttempt waiting : node.queue) {
      rest += take(free, waiting, node, exact);
    }
    for (SimulatedAttempt coming : node.arriving) {
      rest += take(free, coming, node, exact);
    }
    return Arrays.stream(free).min().orElse(now)
        + rest / node.threads
        + node.workNanos(current.get())
        + 2.0 * node.extraNetworkNanos;
  }

  private static double take(
      double[] free, SimulatedAttempt attempt, SimulatedNode node, boolean exact) {
    if (attempt.cancelled) {
      return 0;
    }
    double work = node.workNanos(attempt.request);
    if (!exact) {
      return work;
    }
    int first = 0;
    for (int i = 1; i < free.length; i++) {
      first = free[i] < free[first] ? i : first;
    }
    free[first] += work;
    return 0;
  }
}
