package dev.weir.gateway;

import dev.weir.config.policy.PolicyTree;
import dev.weir.core.coordinate.LateBinder;
import dev.weir.core.coordinate.RoutedTails;
import dev.weir.core.coordinate.TailCounts;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ShardCopy;
import dev.weir.model.Shown;
import dev.weir.model.Work;
import dev.weir.routing.Explanation;
import dev.weir.routing.LateBinding;
import dev.weir.routing.LoadView;
import dev.weir.routing.NodeLoadTracker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How copies are chosen in a cluster, for operators. Safe on any thread.
 *
 * @param requests the policies that requests are given now
 */
record RoutingPage(Backend backend, RequestPolicies requests) {
  Map<String, Object> show() {
    Map<String, NodeEndpoint> nodes = backend.follower().current().nodes();
    List<Object> rows = new ArrayList<>();
    for (LoadView view : backend.loads().views()) {
      NodeEndpoint node = nodes.get(view.nodeId());
      rows.add(row(view, node == null ? "" : node.name()));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("policy", PolicyTree.of(backend.selector().policy()));
    body.put("formula", backend.selector().explain(List.of(), Phase.QUERY).formula());
    body.put("hedging", hedging(backend.tails(), requests.standard()));
    body.put("waiting", waiting(backend.binder()));
    body.put("budgets", budgets());
    body.put("work", work(backend.loads()));
    body.put("nodes", rows);
    return body;
  }

  /** What kinds of requests cost, as far as is known. */
  private static Map<String, Object> work(NodeLoadTracker loads) {
    Map<String, Object> kinds = new LinkedHashMap<>();
    for (Work kind : Work.values()) {
      NodeLoadTracker.ClassCost known = loads.cost(kind.phase(), kind.costClass());
      if (known.answers() > 0) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("phase", Shown.word(kind.phase()));
        shown.put("cost", Shown.rounded(known.cost()));
        shown.put("answers", known.answers());
        kinds.put(kind.label(), shown);
      }
    }
    return kinds;
  }

  private static Map<String, Object> waiting(LateBinder binder) {
    LateBinding.Totals totals = binder.totals();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("now", binder.waiting());
    body.put("waited", totals.waited());
    body.put("waited_ms", millis((double) totals.waitedNanos()));
    body.put("waited_too_long", totals.expired());
    body.put("bound_reached", totals.unfit());
    return body;
  }

  /** What the requests of routes' own policies may spend. */
  private Map<String, Object> budgets() {
    Map<String, Object> byName = new TreeMap<>();
    requests
        .named()
        .forEach((name, policy) -> {
          Map<String, Object> body = new LinkedHashMap<>();
          body.put("tokens", Shown.rounded(backend.tails().hedgeTokens(policy)));
          body.put("retry_tokens", Shown.rounded(backend.tails().retryTokens(policy)));
          byName.put(name, body);
        });
    return byName;
  }

  private static Map<String, Object> hedging(RoutedTails tails, RequestPolicy standard) {
    TailCounts tail = tails.counts();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("tokens", Shown.rounded(tails.hedgeTokens(standard)));
    body.put("outcomes", byReason(tail.hedgesByOutcome()));
    body.put("retry_tokens", Shown.rounded(tails.retryTokens(standard)));
    body.put("retries", byReason(tail.retriesByReason()));
    body.put("restarts", byReason(tail.restartsByReason()));
    return body;
  }

  private static Map<String, Object> byReason(List<TailCounts.Count> counts) {
    Map<String, Object> shown = new TreeMap<>();
    counts.forEach(count -> shown.put(count.reason(), count.count()));
    return shown;
  }

  private Map<String, Object> row(LoadView view, String name) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    Explanation why = backend.selector().explain(List.of(copy), view.phase());
    Explanation.Candidate candidate = why.candidates().getFirst();
    Map<String, Object> terms = new LinkedHashMap<>();
    candidate
        .terms()
        .forEach(term ->
            terms.put(
                term.unit().isEmpty() ? term.name() : term.name() + "_" + term.unit(),
                Shown.rounded(term.value())));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("node", view.nodeId());
    row.put("name", name);
    row.put("phase", Shown.word(view.phase()));
    row.put("outstanding", view.load().outstanding());
    row.put("response_ms", millis(view.load().responseNanos()));
    row.put("service_ms", millis(view.load().serviceNanos()));
    row.put("queue", view.load().queueSize());
    row.put("errors", view.load().errorRate());
    row.put("terms", terms);
    row.put("b_ms_by_work", residuals(view));
    row.put("score", candidate.score());
    row.put("standing", Shown.word(candidate.standing()));
    row.put("samples", view.trust().samples());
    row.put("since_reply_ms", millis((double) view.trust().sinceReplyNanos()));
    row.put("ejected", view.trust().ejected());
    row.put("ejected_ms", millis((double) view.trust().ejectedNanos()));
    return row;
  }

  /** What a node's answers take beyond the prediction, by what was asked of it. */
  private Map<String, Object> residuals(LoadView view) {
    NodeLoadTracker loads = backend.loads();
    Map<String, Object> byWork = new LinkedHashMap<>();
    for (Work kind : Work.values()) {
      if (kind.phase() == view.phase()
          && loads.cost(kind.phase(), kind.costClass()).answers() > 0) {
        double nanos = loads.residualNanos(view.nodeId(), kind.phase(), kind.costClass());
        byWork.put(kind.label(), Shown.rounded(nanos / 1e6));
      }
    }
    return byWork;
  }

  private static double millis(double nanos) {
    return nanos < 0 ? nanos : Math.round(nanos / 1e3) / 1e3;
  }
}
