package dev.weir.gateway.app;

import dev.weir.config.policy.PolicyTree;
import dev.weir.gateway.app.admin.AdminReply;
import dev.weir.gateway.app.admin.AdminSite;
import dev.weir.gateway.app.admin.SiteFiles;
import dev.weir.gateway.cluster.ClusterStatus;
import dev.weir.gateway.coordinate.LateBinder;
import dev.weir.gateway.coordinate.RoutedTail;
import dev.weir.gateway.http.proxy.ProxyStats;
import dev.weir.gateway.observe.Metrics;
import dev.weir.gateway.observe.RequestMetrics;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.model.ShardCopy;
import dev.weir.model.Shown;
import dev.weir.model.Work;
import dev.weir.protocol.TransportStats;
import dev.weir.routing.Explanation;
import dev.weir.routing.LateBinding;
import dev.weir.routing.LoadView;
import dev.weir.routing.NodeLoadTracker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the gateway says to operators. Safe on any thread. */
final class AdminPages {
  private final Gateway gateway;
  private final Life life = Life.begun(System::currentTimeMillis, System::nanoTime);

  private AdminPages(Gateway gateway) {
    this.gateway = gateway;
  }

  static AdminSite of(Gateway gateway) {
    AdminPages pages = new AdminPages(gateway);
    ExplainPage explain = new ExplainPage(gateway.backend());
    return AdminSite.builder()
        .get("/livez", () -> AdminReply.text(200, "ok\n"))
        .get("/readyz", pages::ready)
        .get("/metrics", () -> AdminReply.of(200, Metrics.CONTENT_TYPE, gateway.metrics().scrape()))
        .get("/stats", () -> AdminReply.json(200, pages.stats()))
        .get("/config", () -> AdminReply.json(200, pages.config()))
        .get("/routing", () -> AdminReply.json(200, pages.routing()))
        .get(
            "/search/time-pruning",
            () -> AdminReply.json(200, PruningFigures.learned(gateway.pruning())))
        .getWith("/routing/explain", explain::show)
        .postWith("/routing/explain", explain::show)
        .post("/drain", pages::drain)
        .files("/ui/", SiteFiles.ofThePage())
        .build();
  }

  private AdminReply ready() {
    List<String> reasons = notReady();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("ready", reasons.isEmpty());
    body.put("reasons", reasons);
    List<String> problems = gateway.inForce().state().problems();
    if (!problems.isEmpty()) {
      body.put("refused_configuration", problems); // the one before is in force
    }
    return AdminReply.json(reasons.isEmpty() ? 200 : 503, body);
  }

  private List<String> notReady() {
    List<String> reasons = new ArrayList<>();
    if (gateway.draining()) {
      reasons.add("draining");
    }
    String notListening = gateway.notListening();
    if (notListening != null) {
      reasons.add(notListening);
    }
    String unreachable = gateway.backend().unreachable();
    if (unreachable != null) {
      reasons.add(unreachable);
    } else if (gateway.backend().restAddresses().isEmpty()) {
      reasons.add("no node's REST address is known yet: nothing could pass through");
    }
    return reasons;
  }

  private Map<String, Object> config() {
    PolicyInForce.State state = gateway.inForce().state();
    Map<String, Object> body = PolicyTree.of(state.policy(), state.hidden());
    Map<String, Object> reload = new LinkedHashMap<>();
    reload.put("applied", gateway.inForce().applied());
    reload.put("refused", gateway.inForce().refused());
    reload.put("problems", state.problems());
    reload.put("needs_restart", state.pending());
    body.put("reload", reload);
    return body;
  }

  private AdminReply drain() {
    gateway.startDraining();
    return AdminReply.json(202, Map.of("draining", true));
  }

  private Map<String, Object> routing() {
    Map<String, NodeEndpoint> nodes = gateway.backend().follower().current().nodes();
    List<Object> rows = new ArrayList<>();
    for (LoadView view : gateway.backend().loads().views()) {
      NodeEndpoint node = nodes.get(view.nodeId());
      rows.add(row(view, node == null ? "" : node.name()));
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("policy", PolicyTree.of(gateway.backend().selector().policy()));
    body.put("formula", gateway.backend().selector().explain(List.of(), Phase.QUERY).formula());
    body.put("hedging", hedging(gateway.backend().tail()));
    body.put("waiting", waiting(gateway.backend().binder()));
    body.put("work", work(gateway.backend().loads()));
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

  private static Map<String, Object> hedging(RoutedTail tail) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("tokens", Shown.rounded(tail.hedgeTokens()));
    body.put("outcomes", byReason(tail.hedgesByOutcome()));
    body.put("retry_tokens", Shown.rounded(tail.retryTokens()));
    body.put("retries", byReason(tail.retriesByReason()));
    body.put("restarts", byReason(tail.restartsByReason()));
    return body;
  }

  private static Map<String, Object> byReason(List<RoutedTail.Count> counts) {
    Map<String, Object> shown = new TreeMap<>();
    counts.forEach(count -> shown.put(count.reason(), count.count()));
    return shown;
  }

  private Map<String, Object> row(LoadView view, String name) {
    ShardCopy copy = new ShardCopy(view.nodeId(), "", false, false, Map.of());
    Explanation why = gateway.backend().selector().explain(List.of(copy), view.phase());
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
    NodeLoadTracker loads = gateway.backend().loads();
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

  private Map<String, Object> stats() {
    Gateway.Load load = gateway.load();
    Map<String, Object> underWay = new LinkedHashMap<>();
    underWay.put("requests", load.requests());
    underWay.put("actions", load.actions());
    underWay.put("calls", load.outstandingCalls());
    underWay.put("queued", load.queued());
    underWay.put("write_bytes", load.writeBytes());
    underWay.put("body_bytes", load.bodyBytes());
    underWay.put("frames", load.heldFrames());
    underWay.put("request_bytes", load.requestBytes());
    underWay.put("connections", gateway.server().connections());
    Map<String, Object> requests = new LinkedHashMap<>();
    requests.put("limit", gateway.admission().most());
    requests.put("by_path_and_status", gateway.metrics().requests().byPathAndStatus());
    requests.put("passed_through", gateway.metrics().requests().passedThroughByReason());
    requests.put("refused_in_flight", gateway.admission().refused());
    requests.put("refused_body_bytes", gateway.bodies().refused());
    requests.put("refused_reply_bytes", gateway.backend().replies().refused());
    requests.put("latency_bounds_ms", RequestMetrics.boundsMillis());
    requests.put(
        "by_action",
        gateway.metrics().requests().byAction().stream().map(AdminPages::row).toList());
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("gateway", life.show(gateway.draining()));
    body.put("under_way", underWay);
    body.put("proxy", proxy());
    body.put(
        "queues",
        QueueStats.show(
            gateway.backend().queues().queues(), gateway.backend().follower().current().nodes()));
    body.put("requests", requests);
    body.put("pacing", PacingStats.of(gateway.gate().pacer()));
    body.put("deadlines", gateway.deadlines().stats());
    body.put("coalescing", CoalescingFigures.stats(gateway.coalescing()));
    body.put("trimming", TrimmingFigures.stats(gateway.trimming()));
    body.put("exports", ExportFigures.stats(gateway.exports()));
    body.put("time_pruning", PruningFigures.stats(gateway.pruning()));
    body.put("sampling", SamplingFigures.stats(gateway.sampling().counts()));
    body.put(
        "bulk",
        WayInFigures.stats(
            BulkFigures.stats(gateway.backend(), gateway.streamedBulks()),
            gateway.backend().wayIn()));
    body.put("cluster", cluster());
    body.put("nodes", transport());
    body.put("memory", memory());
    body.put("request_memory", RequestMemoryStats.of(gateway));
    return body;
  }

  private static Map<String, Object> row(RequestMetrics.Kind kind) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("path", kind.path());
    row.put("action", kind.action());
    row.put("requests", kind.requests());
    row.put("took_ms", Math.round(kind.tookMillis()));
    row.put("request_bytes", kind.requestBytes());
    row.put("response_bytes", kind.responseBytes());
    row.put("within", kind.within());
    return row;
  }

  private Map<String, Object> proxy() {
    ProxyStats stats = gateway.proxy().stats();
    Map<String, Object> proxy = new LinkedHashMap<>();
    proxy.put("connections", stats.connections());
    proxy.put("waiting", stats.waiting());
    proxy.put("in_flight", stats.underWay());
    proxy.put("retries", stats.retries());
    proxy.put("failures", stats.failures());
    return proxy;
  }

  private Map<String, Object> cluster() {
    ClusterStatus status = gateway.backend().follower().status();
    ClusterStatus.Identity identity = status.cluster();
    Map<String, Object> cluster = new LinkedHashMap<>();
    cluster.put("name", identity == null ? "" : identity.name());
    cluster.put("uuid", identity == null ? "" : identity.uuid());
    cluster.put("term", status.position().term());
    cluster.put("version", status.position().version());
    cluster.put("age_ms", status.age().toMillis());
    cluster.put("unknown_parts", List.copyOf(status.unknownParts()));
    cluster.put("nodes", status.nodes().known());
    cluster.put("connected", status.nodes().connected());
    String error = status.trouble().lastError();
    cluster.put("last_error", error == null ? "" : error);
    cluster.put("refused_seeds", status.trouble().refusedSeeds());
    return cluster;
  }

  private List<Object> transport() {
    List<Object> rows = new ArrayList<>();
    for (TransportStats.Node node : gateway.backend().clients().stats().nodes()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("node", node.id());
      row.put("name", node.name());
      row.put("channels", node.openChannels());
      row.put("in_flight", node.inFlight());
      row.put("pending", node.pending());
      row.put("sent", node.sent());
      row.put("answered", node.answered());
      row.put("timed_out", node.timedOut());
      row.put("refused", node.refused());
      row.put("bytes_in", node.bytesIn());
      row.put("bytes_out", node.bytesOut());
      row.put("disconnects", node.disconnects());
      rows.add(row);
    }
    return rows;
  }

  private static Map<String, Object> memory() {
    Runtime jvm = Runtime.getRuntime();
    Map<String, Object> memory = new LinkedHashMap<>();
    memory.put("heap_used", jvm.totalMemory() - jvm.freeMemory());
    memory.put("heap_max", jvm.maxMemory());
    return memory;
  }

  private static double millis(double nanos) {
    return nanos < 0 ? nanos : Math.round(nanos / 1e3) / 1e3;
  }
}
