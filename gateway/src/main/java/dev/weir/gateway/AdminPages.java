package dev.weir.gateway;

import dev.weir.bluegreen.traffic.TrafficAdminPages;
import dev.weir.config.policy.PolicyTree;
import dev.weir.gateway.admin.AdminRouter;
import dev.weir.gateway.admin.StaticFiles;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.observe.RequestMetrics;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.observe.admin.ParameterizedAdminPage;
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
  private final GatewayInstance life =
      GatewayInstance.start(System::currentTimeMillis, System::nanoTime);

  private AdminPages(Gateway gateway) {
    this.gateway = gateway;
  }

  static AdminRouter forCluster(Gateway gateway) {
    AdminPages pages = new AdminPages(gateway);
    List<ClusterConnection> backends =
        gateway.clusters().all().stream().map(ClusterRuntime::connection).toList();
    ParameterizedAdminPage explain =
        pages.forCluster(side -> new ExplainPage(side.connection(), backends)::show);
    AdminRouter.Builder site = AdminRouter.builder();
    new TrafficAdminPages(
            gateway.clusterRouter(),
            Map.of(
                "shadow",
                () ->
                    ShadowStatsReporter.toMap(
                        gateway.sharedServices().features().shadowReads().service())))
        .addTo(site);
    return site.get("/livez", () -> AdminResponse.text(200, "ok\n"))
        .get("/readyz", pages::readiness)
        .get(
            "/metrics",
            () -> AdminResponse.of(200, PrometheusMetrics.CONTENT_TYPE, gateway.metrics().scrape()))
        .getWithQuery(
            "/stats", pages.forCluster(side -> query -> AdminResponse.json(200, pages.stats(side))))
        .get("/config", () -> AdminResponse.json(200, pages.config()))
        .get(
            "/shadow",
            () ->
                AdminResponse.json(
                    200,
                    ShadowStatsReporter.toMap(
                        gateway.sharedServices().features().shadowReads().service())))
        .getWithQuery(
            "/routing",
            pages.forCluster(side ->
                query ->
                    AdminResponse.json(
                        200,
                        new RoutingPage(
                                side.connection(), gateway.clusterRouter().requestPolicies())
                            .toMap())))
        .getWithQuery(
            "/search/time-pruning",
            pages.forCluster(side ->
                query ->
                    AdminResponse.json(200, PruningStatsReporter.learnedToMap(side.pruning()))))
        .getWithQuery("/routing/explain", explain)
        .postWithQuery("/routing/explain", explain)
        .post("/drain", pages::drain)
        .files("/ui/", StaticFiles.loadLivePage())
        .build();
  }

  /** A page about one cluster: the one that {@code cluster} names, or the first one. */
  private ParameterizedAdminPage forCluster(Function<ClusterRuntime, ParameterizedAdminPage> page) {
    return query -> {
      String name = query.get("cluster");
      ClusterRuntime side =
          name == null ? gateway.clusters().defaultCluster() : gateway.clusters().find(name);
      if (side != null) {
        return page.apply(side).render(query);
      }
      String known =
          gateway.clusters().all().stream()
              .map(ClusterRuntime::name)
              .collect(Collectors.joining(", "));
      String reason = "cluster: got [" + name + "] (expected: one of " + known + ")";
      return ExplainPage.error(BAD_REQUEST, "illegal_argument_exception", reason);
    };
  }

  private AdminResponse readiness() {
    List<String> reasons = notReadyReasons();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("ready", reasons.isEmpty());
    body.put("reasons", reasons);
    List<String> problems = gateway.activePolicy().state().problems();
    if (!problems.isEmpty()) {
      body.put("rejected_configuration", problems); // the one before is in force
    }
    return AdminResponse.json(reasons.isEmpty() ? 200 : 503, body);
  }

  private List<String> notReadyReasons() {
    List<String> reasons = new ArrayList<>();
    if (gateway.isDraining()) {
      reasons.add("draining");
    }
    String notListening = gateway.notListeningReason();
    if (notListening != null) {
      reasons.add(notListening);
    }
    String missing = gateway.clusters().unavailableReason();
    if (missing != null) {
      reasons.add(missing);
    }
    return reasons;
  }

  private Map<String, Object> config() {
    ActivePolicy.State state = gateway.activePolicy().state();
    Map<String, Object> body = PolicyTree.toMap(state.policy(), state.overriddenKeys());
    Map<String, Object> reload = new LinkedHashMap<>();
    reload.put("applied", gateway.activePolicy().appliedCount());
    reload.put("rejected", gateway.activePolicy().refusedCount());
    reload.put("problems", state.problems());
    reload.put("restart_required", state.restartKeys());
    body.put("reload", reload);
    return body;
  }

  private AdminResponse drain() {
    gateway.startDraining();
    return AdminResponse.json(202, Map.of("draining", true));
  }

  private Map<String, Object> stats(ClusterRuntime side) {
    Gateway.InFlightWork load = gateway.inFlightWork();
    Map<String, Object> underWay = new LinkedHashMap<>();
    underWay.put("requests", load.requests());
    underWay.put("active_actions", load.actions());
    underWay.put("node_calls", load.outstandingNodeCalls());
    underWay.put("queued_requests", load.queuedRequests());
    underWay.put("write_bytes", load.writeBytes());
    underWay.put("body_bytes", load.requestBodyBytes());
    underWay.put("held_frames", load.heldFrames());
    underWay.put("request_memory_bytes", load.requestMemoryBytes());
    underWay.put("connections", gateway.server().openConnections());
    Map<String, Object> requests = new LinkedHashMap<>();
    requests.put("limit", gateway.sharedServices().limits().concurrency().maxInFlight());
    requests.put("by_path_and_status", gateway.metrics().requests().countsByPathAndStatus());
    requests.put("passed_through", gateway.metrics().requests().passThroughCountsByReason());
    requests.put(
        "in_flight_rejections", gateway.sharedServices().limits().concurrency().rejected());
    requests.put(
        "by_policy",
        PolicyStatsReporter.toMap(
            gateway.clusterRouter().requestPolicies(),
            gateway.sharedServices().limits().bulkheads()));
    requests.put("body_memory_rejections", gateway.bodyMemory().rejections());
    requests.put(
        "response_memory_rejections", gateway.sharedServices().memory().responses().rejections());
    requests.put("latency_bounds_ms", RequestMetrics.bucketBoundsMillis());
    requests.put(
        "by_action",
        gateway.metrics().requests().summariesByAction().stream()
            .map(AdminPages::actionRow)
            .toList());
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("gateway", life.toMap(gateway.isDraining()));
    body.put("in_flight", underWay);
    body.put("requests", requests);
    body.put("pacing", PacingStatsReporter.toMap(gateway.headerAdmission().pacer()));
    body.put("deadlines", gateway.sharedServices().features().deadlines().stats());
    body.put(
        "trimming", TrimmingStatsReporter.toMap(gateway.sharedServices().features().trimming()));
    body.put("exports", ExportStatsReporter.toMap(gateway.sharedServices().features().exports()));
    body.put(
        "sampling",
        SamplingStatsReporter.toMap(gateway.sharedServices().features().sampling().counts()));
    body.put(
        "dual_writes",
        DualWriteStatsReporter.toMap(gateway.sharedServices().features().dualWrites().counts()));
    body.put("clusters", gateway.clusters().all().stream().map(ClusterRuntime::name).toList());
    body.put("selected_cluster", side.name());
    new ClusterStatsReporter(side).writeTo(body);
    body.put("log", LogStatsReporter.toMap());
    body.put("memory", memory());
    body.put("request_memory", RequestMemoryStatsReporter.toMap(gateway));
    return body;
  }

  private static Map<String, Object> actionRow(RequestMetrics.ActionSummary kind) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("path", kind.path());
    row.put("action", kind.action());
    row.put("requests", kind.requests());
    row.put("took_ms", Math.round(kind.totalMillis()));
    row.put("request_bytes", kind.requestBytes());
    row.put("response_bytes", kind.responseBytes());
    row.put("cumulative_counts", kind.cumulativeCounts());
    return row;
  }

  private static Map<String, Object> memory() {
    Runtime jvm = Runtime.getRuntime();
    Map<String, Object> memory = new LinkedHashMap<>();
    memory.put("heap_used_bytes", jvm.totalMemory() - jvm.freeMemory());
    memory.put("heap_max_bytes", jvm.maxMemory());
    return memory;
  }
}
