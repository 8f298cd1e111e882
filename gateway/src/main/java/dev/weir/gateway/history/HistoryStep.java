package dev.weir.gateway.history;

import java.util.List;
import java.util.Map;

/**
 * What happened in one step of a few seconds. Immutable.
 *
 * @param number rises by one with each step
 * @param endMillis when it ended, milliseconds since the epoch
 * @param seconds how long it was
 * @param flows the requests that ended, by kind, without kinds that had none
 * @param gateway what the gateway used at its end
 * @param slowest the requests that took longest
 */
record HistoryStep(
    long number,
    long endMillis,
    double seconds,
    Map<Flow, UsageCounts.Sums> flows,
    GatewayFigures gateway,
    List<RecentRequest> slowest) {

  /**
   * What the gateway used.
   *
   * @param cpuCores the processors that the process used on average during the step
   * @param nodeCpu the mean CPU use of the nodes that report it, 0 to 1, by cluster
   */
  record GatewayFigures(
      double cpuCores, long heapBytes, int inFlight, int waiting, Map<String, Double> nodeCpu) {}

  /** Returns the sum of all kinds, or of those of one cluster. */
  UsageCounts.Sums total(String cluster) {
    UsageCounts.Sums sum = UsageCounts.Sums.ZERO;
    for (Map.Entry<Flow, UsageCounts.Sums> flow : flows.entrySet()) {
      if (cluster.isEmpty() || flow.getKey().cluster().equals(cluster)) {
        sum = sum.plus(flow.getValue());
      }
    }
    return sum;
  }

  /** Returns the durations of the requests that nodes answered: all, or those of one cluster. */
  BucketCounts answeredByNodes(String cluster) {
    BucketCounts sum = BucketCounts.ZERO;
    for (Map.Entry<Flow, UsageCounts.Sums> flow : flows.entrySet()) {
      boolean isMeant = cluster.isEmpty() || flow.getKey().cluster().equals(cluster);
      if (isMeant && flow.getKey().isAnsweredByNodes()) {
        sum = sum.plus(flow.getValue().buckets(), 1);
      }
    }
    return sum;
  }
}
