package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.RollbackPolicy;
import dev.weir.http.error.ErrorBody;
import dev.weir.model.DisplayFormat;
import dev.weir.model.HttpStatus;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import dev.weir.routing.traffic.ErrorBudgetMonitor;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The admin pages that show and change the traffic of clusters. A change applies to this gateway
 * until the configured traffic changes, {@code POST /traffic/reset}, or a restart.
 *
 * @param router chooses clusters
 * @param extraSections further sections of the page, by name
 */
public record TrafficAdminPages(ClusterRouter router, Map<String, Supplier<Object>> extraSections) {

  /** Registers the pages. */
  public void addTo(AdminPageRegistry site) {
    site.get("/traffic", () -> AdminResponse.json(200, toMap()))
        .postWithQuery("/traffic/shift", this::shift)
        .postWithQuery("/traffic/cutover", this::cutOver)
        .post("/traffic/reset", this::reset);
  }

  private AdminResponse shift(Map<String, String> query) {
    String scope = query.getOrDefault("policy", WeightOverride.SCOPE_DEFAULT);
    if (!scope.isEmpty() && router.plans().stream().noneMatch(plan -> plan.name().equals(scope))) {
      return reject("policy: got [" + scope + "] (expected: one of policies in the file)");
    }
    Map<String, Double> weights = new LinkedHashMap<>();
    double sum = 0;
    for (Map.Entry<String, String> said : query.entrySet()) {
      if (!said.getKey().equals("policy")) {
        Double weight = weight(said.getValue());
        if (!isKnown(said.getKey()) || weight == null) {
          return reject(
              said.getKey()
                  + ": got ["
                  + said.getValue()
                  + "] (expected: weights of clusters, 0 or more, such as "
                  + router.clusters().getFirst().name()
                  + "=90; known are "
                  + clusterNames()
                  + ")");
        }
        weights.put(said.getKey(), weight);
        sum += weight;
      }
    }
    if (sum <= 0) {
      return reject("got no weight over 0 (expected: a weight for one of " + clusterNames() + ")");
    }
    router.overrideWeights(scope, weights, "requested by an operator");
    return AdminResponse.json(200, toMap());
  }

  private static @Nullable Double weight(String text) {
    try {
      double weight = Double.parseDouble(text);
      return weight >= 0 && weight <= 1_000_000 ? weight : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private AdminResponse cutOver(Map<String, String> query) {
    String to = query.getOrDefault("to", "");
    if (!isKnown(to)) {
      return reject("to: got [" + to + "] (expected: one of " + clusterNames() + ")");
    }
    router.sendAllTo(to, "requested by an operator");
    return AdminResponse.json(200, toMap());
  }

  private AdminResponse reset() {
    router.clearOverrides();
    return AdminResponse.json(200, toMap());
  }

  private boolean isKnown(String cluster) {
    return router.clusters().stream().anyMatch(one -> one.name().equals(cluster));
  }

  private String clusterNames() {
    return router.clusters().stream().map(UpstreamCluster::name).collect(Collectors.joining(", "));
  }

  private static AdminResponse reject(String reason) {
    ErrorBody body = new ErrorBody(HttpStatus.BAD_REQUEST, "illegal_argument_exception", reason);
    return AdminResponse.json(
        HttpStatus.BAD_REQUEST, StandardCharsets.UTF_8.decode(body.bytes(true)).toString());
  }

  private Map<String, Object> toMap() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("clusters", router.clusters().stream().map(this::clusterToMap).toList());
    body.put("policies", router.plans().stream().map(this::planToMap).toList());
    List<Object> shifts = new ArrayList<>();
    router.overrides().forEach((scope, shift) -> shifts.add(shift(scope, shift)));
    body.put("overrides", shifts);
    body.put("failovers", router.failoverReads());
    body.put("released_requests", router.releasedRequests());
    body.put("rollbacks", router.budgets().rollbacks());
    extraSections.forEach((name, part) -> body.put(name, part.get()));
    return body;
  }

  private Map<String, Object> clusterToMap(UpstreamCluster cluster) {
    long requests = 0;
    long errors = 0;
    for (TrafficCounts counts : router.counts()) {
      if (counts.cluster().equals(cluster.name())) {
        requests += counts.requests();
        errors += counts.errors();
      }
    }
    Map<String, Object> row = new LinkedHashMap<>();
    String missing = cluster.unavailableReason();
    row.put("name", cluster.name());
    row.put("available", missing == null);
    row.put("unavailability_reason", missing == null ? "" : missing);
    row.put("requests", requests);
    row.put("errors", errors);
    return row;
  }

  private Map<String, Object> planToMap(TrafficPlan plan) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("policy", plan.name());
    row.put("weights", plan.weights());
    row.put("configured_weights", plan.policy().weights());
    row.put("clusters", plan.split().clusters());
    row.put("split_by", DisplayFormat.toKebabCase(plan.policy().splitBy()));
    row.put("canary_header", plan.policy().canaryHeader());
    row.put("shadow_target", plan.policy().shadow().targetCluster());
    row.put("dual_write_target", plan.policy().dualWrites().targetCluster());
    Map<String, Object> requests = new LinkedHashMap<>();
    for (TrafficCounts counts : router.counts()) {
      if (counts.policy().equals(plan.name())) {
        requests.put(counts.cluster(), counts.requests());
      }
    }
    row.put("requests", requests);
    ErrorBudgetMonitor.Counts window = router.budgets().counts(plan.name());
    if (window != null) {
      RollbackPolicy allowed = plan.policy().rollback();
      Map<String, Object> rollback = new LinkedHashMap<>();
      rollback.put("target_cluster", allowed.targetCluster());
      rollback.put("window_ms", allowed.evaluationWindow().toMillis());
      rollback.put("min_requests", allowed.minRequests());
      rollback.put("max_error_percent", allowed.maxErrorPercent());
      rollback.put("max_difference_percent", allowed.maxDifferencePercent());
      rollback.put("requests", window.target());
      rollback.put("errors", window.targetErrors());
      rollback.put("other_requests", window.others());
      rollback.put("other_errors", window.othersErrors());
      rollback.put("compared", window.comparisons());
      rollback.put("differences", window.differences());
      row.put("rollback", rollback);
    }
    return row;
  }

  private static Map<String, Object> shift(String scope, WeightOverride shift) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("policy", scope.isEmpty() ? "the whole gateway" : scope);
    row.put("weights", shift.weights());
    row.put("changed_by", shift.source());
    row.put("reason", shift.reason());
    row.put("since", Instant.ofEpochMilli(shift.sinceMillis()).toString());
    return row;
  }
}
