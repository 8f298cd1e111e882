package dev.weir.gateway;

import dev.weir.gateway.admin.AdminRouter;
import dev.weir.gateway.admin.StaticFiles;
import dev.weir.gateway.reload.ActivePolicy;
import dev.weir.gateway.stats.StatsReporters;
import dev.weir.observe.PrometheusMetrics;
import dev.weir.observe.admin.AdminResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The pages of the admin port. Safe on any thread. */
final class AdminPages {
  private AdminPages() {}

  /**
   * Creates the pages of the life cycle, and adds those of the reporters.
   *
   * @param notReadyReasons why the gateway can't serve requests now; empty while it can
   * @param startDraining returns at once; the gateway drains in the background
   */
  static AdminRouter create(
      StatsReporters reporters,
      PrometheusMetrics metrics,
      ActivePolicy policy,
      Supplier<List<String>> notReadyReasons,
      Runnable startDraining) {
    AdminRouter.Builder site = AdminRouter.builder();
    site.get("/livez", () -> AdminResponse.text(200, "ok\n"))
        .get("/readyz", () -> readiness(notReadyReasons.get(), policy.state().problems()))
        .get(
            "/metrics",
            () -> AdminResponse.of(200, PrometheusMetrics.CONTENT_TYPE, metrics.scrape()));
    reporters.addPages(site);
    return site.post(
            "/drain",
            () -> {
              startDraining.run();
              return AdminResponse.json(202, Map.of("draining", true));
            })
        .files("/ui/", StaticFiles.loadLivePage())
        .build();
  }

  /** While a changed configuration is rejected, the gateway runs with the one before. */
  private static AdminResponse readiness(List<String> reasons, List<String> problems) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("ready", reasons.isEmpty());
    body.put("reasons", reasons);
    if (!problems.isEmpty()) {
      body.put("rejected_configuration", problems);
    }
    return AdminResponse.json(reasons.isEmpty() ? 200 : 503, body);
  }
}
