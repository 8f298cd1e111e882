package dev.weir.bluegreen.traffic;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reports the traffic of clusters: the pages of {@link TrafficAdminPages}, and its metrics.
 *
 * @param extraSections further sections of the page, by name
 */
public record TrafficStatsReporter(
    ClusterRouter router, Map<String, Supplier<Object>> extraSections) implements StatsReporter {

  /** A cluster's share of one policy's requests. */
  private record Share(String cluster, String policy, double share) {}

  @Override
  public void addPages(AdminPageRegistry site) {
    new TrafficAdminPages(router, extraSections).addTo(site);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<TrafficCounts>(
                router::counts,
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
            new MetricTable<Share>(
                () -> shares(),
                share -> Map.of("cluster", share.cluster(), "policy", share.policy()),
                List.of(
                    Column.gauge(
                        "weir_traffic_share_ratio",
                        "Share of a policy's requests that the weights send to a cluster, 0 to 1",
                        Share::share))))
        .gauge(
            "weir_traffic_overridden_policies",
            "Policies whose weights differ from the file because of an operator or a rollback",
            () -> router.overrides().size())
        .counter(
            "weir_traffic_failovers",
            "Reads that another cluster answered because nodes of the first one were unreachable",
            router::failoverReads)
        .counter(
            "weir_traffic_released_requests",
            "Requests released because a cut-over left them on a cluster of which no node answers",
            router::releasedRequests)
        .counter(
            "weir_traffic_rollbacks", "Automatic rollbacks", () -> router.budgets().rollbacks());
  }

  private List<Share> shares() {
    List<Share> shares = new ArrayList<>();
    for (TrafficPlan plan : router.plans()) {
      Map<String, Double> planned = plan.shares();
      for (UpstreamCluster cluster : router.clusters()) {
        double share = planned.getOrDefault(cluster.name(), 0.0);
        shares.add(new Share(cluster.name(), plan.name(), share));
      }
    }
    return shares;
  }
}
