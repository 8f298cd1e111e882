package dev.weir.gateway.stats;

import dev.weir.core.coordinate.attempt.AttemptCounts;
import dev.weir.core.coordinate.attempt.BudgetedAttemptPolicies;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.model.DisplayFormat;
import dev.weir.model.RequestPolicies;
import dev.weir.model.ShardCopy;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.routing.NodeLoadSnapshot;
import dev.weir.routing.ReplicaSelector;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reports how the copies of one cluster are selected: the pages {@code /routing} and {@code
 * /routing/explain}, and its metrics.
 *
 * @param allClusters are searched, too, for a request that is to be explained
 * @param policies the policies that requests are given now
 */
public record RoutingStatsReporter(
    ClusterConnection connection,
    List<ClusterConnection> allClusters,
    Supplier<RequestPolicies> policies)
    implements StatsReporter {
  private static final double NANOS = 1e9;

  @Override
  public void addPages(AdminPageRegistry site) {
    ExplainPage explain = new ExplainPage(connection, allClusters);
    site.get(
            "/routing",
            () -> AdminResponse.json(200, new RoutingPage(connection, policies.get()).toMap()))
        .getWithQuery("/routing/explain", explain::show)
        .postWithQuery("/routing/explain", explain::show);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    bindLoad(metrics);
    bindAttempts(connection.selection().attemptPolicies(), metrics);
  }

  private void bindLoad(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<>(
            () -> connection.selection().loadTracker().snapshots(),
            RoutingStatsReporter::labels,
            loadColumns(connection.selection().selector())));
  }

  private static Map<String, String> labels(NodeLoadSnapshot view) {
    return Map.of("node", view.nodeId(), "phase", DisplayFormat.toKebabCase(view.phase()));
  }

  private static List<Column<NodeLoadSnapshot>> loadColumns(ReplicaSelector selector) {
    return List.of(
        Column.gauge(
            "weir_node_outstanding_calls",
            "Calls to the node without a response yet",
            view -> view.load().outstanding()),
        Column.gauge(
            "weir_node_response_seconds",
            "Average response time in seconds, seen by the gateway",
            view -> view.load().responseNanos() / NANOS),
        Column.gauge(
            "weir_node_service_seconds",
            "Average service time in seconds, reported by the node",
            view -> view.load().serviceNanos() / NANOS),
        Column.gauge(
            "weir_node_queue_size",
            "Queue size reported by the node",
            view -> view.load().queueSize()),
        Column.gauge(
            "weir_node_error_ratio",
            "Recent failures as a share of calls, 0 to 1",
            view -> view.load().errorRate()),
        Column.gauge(
            "weir_node_score",
            "Score by which copies are ordered; the smallest comes first",
            view -> score(selector, view)),
        Column.gauge(
            "weir_node_ejected",
            "1 while the node is ejected and tried last",
            view -> view.health().ejected() ? 1 : 0),
        Column.gauge(
            "weir_node_unsteady",
            "1 while the node keeps standing still and ranks behind steady nodes",
            view -> view.health().unsteady() ? 1 : 0));
  }

  private static double score(ReplicaSelector selector, NodeLoadSnapshot view) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    return selector.explain(List.of(copy), view.phase()).candidates().getFirst().score();
  }

  private void bindAttempts(BudgetedAttemptPolicies attempts, MetricRegistry metrics) {
    AttemptCounts counts = attempts.counts();
    metrics
        .table(
            new MetricTable<AttemptCounts.Count>(
                counts::attemptsByNodeAndReason,
                count -> Map.of("node", count.nodeId(), "reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_copy_selections",
                        "Requests to shard copies, by the reason for the choice",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                counts::hedgesByOutcome,
                count -> Map.of("outcome", count.reason()),
                List.of(
                    Column.counter(
                        "weir_hedges", "Hedged requests, by outcome", AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                counts::retriesByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_retries",
                        "Failures of a copy after which the next copy was tried, by kind of"
                            + " failure",
                        AttemptCounts.Count::count))))
        .table(
            new MetricTable<AttemptCounts.Count>(
                counts::restartsByReason,
                count -> Map.of("reason", count.reason()),
                List.of(
                    Column.counter(
                        "weir_search_restarts",
                        "Searches that started over because a node was lost between query and"
                            + " fetch, by reason",
                        AttemptCounts.Count::count))))
        .gauge(
            "weir_hedge_tokens",
            "Hedged requests that the budget allows now, without budgets of named policies",
            () -> attempts.hedgeTokens(policies.get().defaultPolicy()));
  }
}
