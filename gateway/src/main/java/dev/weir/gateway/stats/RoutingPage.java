package dev.weir.gateway.stats;

import dev.weir.config.policy.PolicyTree;
import dev.weir.core.coordinate.attempt.AttemptCounts;
import dev.weir.core.coordinate.attempt.BudgetedAttemptPolicies;
import dev.weir.core.coordinate.load.NodeLoadReports;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.model.DisplayFormat;
import dev.weir.model.NodeCallType;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.protocol.NodeLoadReport;
import dev.weir.routing.NodeLoadSnapshot;
import dev.weir.routing.NodeLoadTracker;
import dev.weir.routing.RankingExplanation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shows how copies are selected in a cluster. Safe on any thread.
 *
 * @param policies the policies that requests are given now
 */
record RoutingPage(ClusterConnection cluster, RequestPolicies policies) {
  Map<String, Object> toMap() {
    Map<String, NodeEndpoint> nodes = cluster.nodes().follower().current().nodes();
    List<Object> rows = new ArrayList<>();
    for (NodeLoadSnapshot view : cluster.selection().loadTracker().snapshots()) {
      NodeEndpoint node = nodes.get(view.nodeId());
      rows.add(row(view, node == null ? "" : node.name()));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("policy", PolicyTree.toMap(cluster.selection().selector().policy()));
    body.put("formula", cluster.selection().selector().explain(List.of(), Phase.QUERY).formula());
    body.put("hedging", hedging(cluster.selection().attemptPolicies(), policies.defaultPolicy()));
    body.put("budgets", budgets());
    body.put("work", learnedCosts(cluster.selection().loadTracker()));
    body.put("nodes", rows);
    return body;
  }

  /** The learned cost of each kind of call. */
  private static Map<String, Object> learnedCosts(NodeLoadTracker loads) {
    Map<String, Object> kinds = new LinkedHashMap<>();
    for (NodeCallType kind : NodeCallType.values()) {
      NodeLoadTracker.ClassCost known = loads.cost(kind.phase(), kind.costClass());
      if (known.answers() > 0) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("phase", DisplayFormat.toKebabCase(kind.phase()));
        shown.put("cost", DisplayFormat.roundToThousandths(known.cost()));
        shown.put("responses", known.answers());
        kinds.put(kind.label(), shown);
      }
    }
    return kinds;
  }

  /** The hedge and retry tokens of each named policy. */
  private Map<String, Object> budgets() {
    Map<String, Object> byName = new TreeMap<>();
    policies
        .namedPolicies()
        .forEach((name, policy) -> {
          Map<String, Object> body = new LinkedHashMap<>();
          body.put(
              "hedge_tokens",
              DisplayFormat.roundToThousandths(
                  cluster.selection().attemptPolicies().hedgeTokens(policy)));
          body.put(
              "retry_tokens",
              DisplayFormat.roundToThousandths(
                  cluster.selection().attemptPolicies().retryTokens(policy)));
          byName.put(name, body);
        });
    return byName;
  }

  private static Map<String, Object> hedging(
      BudgetedAttemptPolicies tails, RequestPolicy standard) {
    AttemptCounts tail = tails.counts();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("hedge_tokens", DisplayFormat.roundToThousandths(tails.hedgeTokens(standard)));
    body.put("outcomes", byReason(tail.hedgesByOutcome()));
    body.put("retry_tokens", DisplayFormat.roundToThousandths(tails.retryTokens(standard)));
    body.put("retries", byReason(tail.retriesByReason()));
    body.put("restarts", byReason(tail.restartsByReason()));
    body.put("unpaid_restarts", tails.unpaidRestarts(standard));
    return body;
  }

  private static Map<String, Object> byReason(List<AttemptCounts.Count> counts) {
    Map<String, Object> shown = new TreeMap<>();
    counts.forEach(count -> shown.put(count.reason(), count.count()));
    return shown;
  }

  private Map<String, Object> row(NodeLoadSnapshot view, String name) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    RankingExplanation explanation =
        cluster.selection().selector().explain(List.of(copy), view.phase());
    RankingExplanation.Candidate candidate = explanation.candidates().getFirst();
    Map<String, Object> terms = new LinkedHashMap<>();
    candidate
        .terms()
        .forEach(term ->
            terms.put(
                term.unit().isEmpty() ? term.name() : term.name() + "_" + term.unit(),
                DisplayFormat.roundToThousandths(term.value())));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", view.nodeId());
    row.put("name", name);
    row.put("phase", DisplayFormat.toKebabCase(view.phase()));
    row.put("outstanding", view.load().outstanding());
    row.put("response_ms", millis(view.load().responseNanos()));
    row.put("service_ms", millis(view.load().serviceNanos()));
    row.put("queue_size", view.load().queueSize());
    row.put("error_ratio", view.load().errorRate());
    NodeLoadReports.Received reported =
        cluster.selection().loadReports().newest(view.nodeId(), view.phase());
    if (reported != null) {
      row.put("reported", reported(reported));
    }
    row.put("terms", terms);
    row.put("residual_ms_by_work", residuals(view));
    row.put("score", candidate.score());
    row.put("state", DisplayFormat.toKebabCase(candidate.copyRank()));
    row.put("samples", view.health().samples());
    row.put("since_response_ms", millis((double) view.health().sinceReplyNanos()));
    row.put("ejected", view.health().ejected());
    row.put("unsteady", view.health().unsteady());
    row.put("ejection_remaining_ms", millis((double) view.health().ejectedNanos()));
    return row;
  }

  /** What a node with the plugin reported with its last response of the phase. */
  private Map<String, Object> reported(NodeLoadReports.Received received) {
    NodeLoadReport report = received.report();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("age_ms", millis((double) cluster.selection().loadReports().ageNanos(received)));
    body.put("running", report.runningTasks());
    body.put("queued", report.queuedTasks());
    body.put("service_ms", millis((double) report.serviceNanos()));
    body.putAll(NodeLoadStatsReporter.process(report));
    return body;
  }

  /** How much longer than predicted a node takes, by kind of call. */
  private Map<String, Object> residuals(NodeLoadSnapshot view) {
    NodeLoadTracker loads = cluster.selection().loadTracker();
    Map<String, Object> byWork = new LinkedHashMap<>();
    for (NodeCallType kind : NodeCallType.values()) {
      if (kind.phase() == view.phase()
          && loads.cost(kind.phase(), kind.costClass()).answers() > 0) {
        double nanos = loads.residualNanos(view.nodeId(), kind.phase(), kind.costClass());
        byWork.put(kind.label(), DisplayFormat.roundToThousandths(nanos / 1e6));
      }
    }
    return byWork;
  }

  private static double millis(double nanos) {
    return nanos < 0 ? nanos : Math.round(nanos / 1e3) / 1e3;
  }
}
