package dev.weir.gateway;

import dev.weir.gateway.admin.AdminRouter;
import dev.weir.gateway.admin.StaticFiles;
import dev.weir.gateway.advice.AdvicePage;
import dev.weir.gateway.readiness.Readiness;
import dev.weir.gateway.stats.AdminErrors;
import dev.weir.gateway.stats.StatsReporters;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The pages of the ports that are not for clients. Safe on any thread.
 *
 * @param isOperationRunning whether this gateway carries out an operation on data nodes, which goes
 *     through its own REST port
 * @param notServingReasons why the process takes no requests, whatever clusters it reaches; empty
 *     while it does
 * @param readiness of the clusters
 * @param configurationProblems of a changed configuration that was rejected; empty for none
 * @param authorizations who checks a client's permissions, by cluster
 * @param advice on the clusters
 */
record AdminPages(
    PrometheusMetrics metrics,
    DrainController drain,
    BooleanSupplier isOperationRunning,
    Supplier<List<String>> notServingReasons,
    Readiness readiness,
    Supplier<List<String>> configurationProblems,
    Supplier<Map<String, Object>> authorizations,
    AdvicePage advice) {

  /** Creates the pages of the life cycle, and adds those of the reporters. */
  AdminRouter createOperatorPages(StatsReporters reporters) {
    AdminRouter.Builder site = AdminRouter.builder();
    site.get("/livez", () -> AdminResponse.text(200, "ok\n"))
        .getWithQuery("/readyz", query -> checkReadiness(query, true));
    addMetrics(site);
    reporters.addPages(site);
    return site.getWithQuery("/advise", advice::show)
        .postWithQuery("/drain", this::startDraining)
        .post("/undrain", this::endDraining)
        .files("/ui/", StaticFiles.loadLivePage())
        .build();
  }

  /**
   * Creates the pages that need no credentials. They name no node and no reason.
   *
   * @param withMetrics whether they include the metrics
   */
  AdminRouter createHealthPages(boolean withMetrics) {
    AdminRouter.Builder site = AdminRouter.builder();
    site.get("/livez", () -> AdminResponse.text(200, "ok\n"))
        .getWithQuery("/readyz", query -> checkReadiness(query, false));
    if (withMetrics) {
      addMetrics(site);
    }
    return site.build();
  }

  private void addMetrics(AdminPageRegistry site) {
    site.get(
        "/metrics", () -> AdminResponse.of(200, PrometheusMetrics.CONTENT_TYPE, metrics.scrape()));
  }

  /**
   * Answers whether the gateway should get requests: all of them, or those to the cluster in the
   * query.
   *
   * @param withReasons whether the caller may learn why not
   */
  private AdminResponse checkReadiness(Map<String, String> query, boolean withReasons) {
    List<String> reasons = new ArrayList<>(notServingReasons.get());
    String cluster = query.get("cluster");
    if (cluster == null) {
      reasons.addAll(readiness.unavailableReasons());
    } else if (readiness.clusters().contains(cluster)) {
      String reason = readiness.unavailableReason(cluster);
      if (reason != null) {
        reasons.add(reason);
      }
    } else {
      return withReasons
          ? AdminErrors.unknownCluster(cluster, readiness.clusters())
          : AdminResponse.json(400, Map.of("ready", false));
    }
    boolean isReady = reasons.isEmpty();
    return AdminResponse.json(
        isReady ? 200 : 503,
        withReasons ? describe(reasons, cluster == null) : Map.of("ready", isReady));
  }

  /** While a changed configuration is rejected, the gateway runs with the one before. */
  private Map<String, Object> describe(List<String> reasons, boolean withClusters) {
    List<String> problems = configurationProblems.get();
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("ready", reasons.isEmpty());
    body.put("reasons", reasons);
    if (withClusters) {
      body.put("clusters", readiness.toMap());
    }
    body.put("authorization", authorizations.get());
    if (!problems.isEmpty()) {
      body.put("rejected_configuration", problems);
    }
    return body;
  }

  private AdminResponse startDraining(Map<String, String> query) {
    boolean isForced = Boolean.parseBoolean(query.getOrDefault("force", "false"));
    if (!isForced && isOperationRunning.getAsBoolean()) {
      return AdminErrors.json(
          409,
          "illegal_state_exception",
          "an operation runs here, and a drain closes the port that it goes through: wait for its"
              + " end (GET /operations), or POST /drain?force=true");
    }
    drain.start();
    return AdminResponse.json(202, Map.of("draining", true));
  }

  private AdminResponse endDraining() {
    try {
      return drain.resume()
          ? AdminResponse.json(200, Map.of("draining", false))
          : AdminErrors.json(
              409, "illegal_state_exception", "the gateway stops, so it can't serve again");
    } catch (IOException e) {
      return AdminErrors.json(500, "bind_exception", String.valueOf(e.getMessage()));
    }
  }
}
