package dev.weir.bench.simulation;

import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.routing.ReplicaSelector;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects with more knowledge than a gateway can have; algorithms are measured against it. The load
 * oracle knows at any moment how many requests run, wait or are in transit to each node, and each
 * node's speed and the end of its pause, but of a request only the mean cost of its class: what a
 * perfect and immediate report of every node would tell.
 *
 * <p>The oracle has complete knowledge: the true cost of every request that runs, waits or is in
 * transit, each node's speed, and the end of its pause. It takes the copy that will respond first.
 */
final class OracleSelector implements ReplicaSelector {
  private static final int MAX_EXACT = 200;

  private final SimulatedCluster cluster;
  private final CurrentRequest current;
  private final @Nullable ServiceCosts meanCosts;

  /**
   * Creates an oracle.
   *
   * @param meanCosts for a load oracle; null for one that knows the cost of each request
   */
  OracleSelector(
      SimulatedCluster cluster, CurrentRequest current, @Nullable ServiceCosts meanCosts) {
    this.cluster = cluster;
    this.current = current;
    this.meanCosts = meanCosts;
  }

  @Override
  public void order(ShardCopy[] copies, int count, Phase phase) {
    double[] done = new double[count];
    for (int i = 0; i < count; i++) {
      ShardCopy copy = copies[i];
      SimulatedNode node = cluster.node(copy);
      double finish = meanCosts == null ? finishTime(node) : meanFinishTime(node, meanCosts);
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

  /** Returns when the node would complete the request if all requests had mean costs. */
  private double meanFinishTime(SimulatedNode node, ServiceCosts costs) {
    if (node.failing || node.excluded) {
      return Double.MAX_VALUE;
    }
    double work = 0;
    int count = 0;
    for (List<SimulatedAttempt> place : List.of(node.running, node.arriving, node.queued())) {
      for (SimulatedAttempt attempt : place) {
        if (!attempt.cancelled) {
          work += node.workNanos(attempt.request, costs.meanNanos(attempt.request.costClass));
          count++;
        }
      }
    }
    double mean = work / Math.max(1, count);
    double waits = Math.max(0, count + 1 - node.threads) / (double) node.threads;
    SimulatedShardRequest request = current.get();
    return (double) Math.max(cluster.engine.nowNanos(), node.pausedUntil)
        + waits * mean
        + node.workNanos(request, costs.meanNanos(request.costClass))
        + 2.0 * node.extraNetworkNanos;
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
