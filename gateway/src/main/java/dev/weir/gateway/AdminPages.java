package dev.weir.gateway;

import dev.weir.config.policy.PolicyTree;
import dev.weir.observe.admin.AdminReply;
import dev.weir.gateway.admin.AdminSite;
import dev.weir.observe.admin.QueriedPage;
import dev.weir.gateway.admin.SiteFiles;
import dev.weir.bluegreen.traffic.TrafficPages;
import dev.weir.observe.Metrics;
import dev.weir.observe.RequestMetrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the gateway says to operators. Safe on any thread. */
final class AdminPages {
  private static final int BAD_REQUEST = 400;

  private final Gateway gateway;
  private final Life life = Life.begun(System::currentTimeMillis, System::nanoTime);

  private AdminPages(Gateway gateway) {
    this.gateway = gateway;
  }

  static AdminSite of(Gateway gateway) {
    AdminPages pages = new AdminPages(gateway);
    List<Backend> backends = gateway.sides().all().stream().map(Side::backend).toList();
    QueriedPage explain = pages.of(side -> new ExplainPage(side.backend(), backends)::show);
    AdminSite.Builder site = AdminSite.builder();
    new TrafficPages(
            gateway.traffic(),
            Map.of("shadow", () -> ShadowFigures.stats(gateway.shadows().desk())))
        .addTo(site);
    return site.get("/livez", () -> AdminReply.text(200, "ok\n"))
        .get("/readyz", pages::ready)
        .get("/metrics", () -> AdminReply.of(200, Metrics.CONTENT_TYPE, gateway.metrics().scrape()))
        .getWith("/stats", pages.of(side -> query -> AdminReply.json(200, pages.stats(side))))
        .get("/config", () -> AdminReply.json(200, pages.config()))
        .get("/shadow", () -> AdminReply.json(200, ShadowFigures.stats(gateway.shadows().desk())))
        .getWith(
            "/routing",
            pages.of(side ->
                query ->
                    AdminReply.json(
                        200, new RoutingPage(side.backend(), gateway.traffic().requests()).show())))
        .getWith(
            "/search/time-pruning",
            pages.of(side -> query -> AdminReply.json(200, PruningFigures.learned(side.pruning()))))
        .getWith("/routing/explain", explain)
        .postWith("/routing/explain", explain)
        .post("/drain", pages::drain)
        .files("/ui/", SiteFiles.ofThePage())
        .build();
  }

  /** A page about one cluster: the one that {@code cluster} names, or the first one. */
  private QueriedPage of(Function<Side, QueriedPage> page) {
    return query -> {
      String name = query.get("cluster");
      Side side = name == null ? gateway.sides().first() : gateway.sides().named(name);
      if (side != null) {
        return page.apply(side).show(query);
      }
      String known =
          gateway.sides().all().stream().map(Side::name).collect(Collectors.joining(", "));
      String reason = "cluster: got [" + name + "] (expected: one of " + known + ")";
      return ExplainPage.error(BAD_REQUEST, "illegal_argument_exception", reason);
    };
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
    String missing = gateway.sides().missing();
    if (missing != null) {
      reasons.add(missing);
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

  private Map<String, Object> stats(Side side) {
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
    requests.put(
        "by_policy", PolicyFigures.stats(gateway.traffic().requests(), gateway.bulkheads()));
    requests.put("refused_body_bytes", gateway.bodies().refused());
    requests.put("refused_reply_bytes", gateway.commons().replies().refused());
    requests.put("latency_bounds_ms", RequestMetrics.boundsMillis());
    requests.put(
        "by_action",
        gateway.metrics().requests().byAction().stream().map(AdminPages::row).toList());
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("gateway", life.show(gateway.draining()));
    body.put("under_way", underWay);
    body.put("requests", requests);
    body.put("pacing", PacingStats.of(gateway.gate().pacer()));
    body.put("deadlines", gateway.commons().deadlines().stats());
    body.put("trimming", TrimmingFigures.stats(gateway.commons().trimming()));
    body.put("exports", ExportFigures.stats(gateway.commons().exported()));
    body.put("sampling", SamplingFigures.stats(gateway.commons().sampling().counts()));
    body.put("dual_writes", DualFigures.stats(gateway.commons().duals().counts()));
    body.put("clusters", gateway.sides().all().stream().map(Side::name).toList());
    body.put("shown", side.name());
    new SideStats(side).addTo(body);
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

  private static Map<String, Object> memory() {
    Runtime jvm = Runtime.getRuntime();
    Map<String, Object> memory = new LinkedHashMap<>();
    memory.put("heap_used", jvm.totalMemory() - jvm.freeMemory());
    memory.put("heap_max", jvm.maxMemory());
    return memory;
  }
}
