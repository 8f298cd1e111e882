package dev.weir.bluegreen.traffic;

import dev.weir.observe.Figures;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Which requests went to which cluster, as metrics. */
public final class TrafficFigures {
  private TrafficFigures() {}

  /** A cluster's part of the draw by one policy. */
  private record Share(String cluster, String policy, double share) {}

  /** Shows them. */
  public static void bind(TrafficDesk desk, Figures metrics) {
    metrics
        .table(
            new NodeTable<TrafficCounts>(
                desk::counts,
                counts -> Map.of("cluster", counts.cluster(), "policy", counts.policy()),
                List.of(
                    Column.counter(
                        "weir_traffic_requests",
                        "Requests by the cluster that they went to and the policy they went by",
                        TrafficCounts::requests),
                    Column.counter(
                        "weir_traffic_errors",
                        "Those that ended with a status of 500 or more",
                        TrafficCounts::errors))))
        .table(
            new NodeTable<Share>(
                () -> shares(desk),
                share -> Map.of("cluster", share.cluster(), "policy", share.policy()),
                List.of(
                    Column.gauge(
                        "weir_traffic_share",
                        "The part of a policy's requests that is drawn to a cluster, 0 to 1",
                        Share::share))))
        .gauge(
            "weir_traffic_shifted",
            "Policies whose weights are not the file's now, because of an operator or a roll-back",
            () -> desk.shifts().size())
        .counter(
            "weir_traffic_answered_instead",
            "Reads that another cluster answered because nodes of the first one were gone",
            desk::answeredInstead)
        .counter(
            "weir_traffic_rolled_back",
            "Budgets of errors or differences that were spent",
            () -> desk.budgets().rolledBack());
  }

  private static List<Share> shares(TrafficDesk desk) {
    List<Share> shares = new ArrayList<>();
    for (Plan plan : desk.plans()) {
      double sum = plan.weights().values().stream().mapToDouble(weight -> weight).sum();
      for (Cluster cluster : desk.clusters()) {
        double share =
            sum > 0
                ? plan.weights().getOrDefault(cluster.name(), 0.0) / sum
                : cluster.name().equals(desk.clusters().getFirst().name()) ? 1 : 0;
        shares.add(new Share(cluster.name(), plan.name(), share));
      }
    }
    return shares;
  }
}
