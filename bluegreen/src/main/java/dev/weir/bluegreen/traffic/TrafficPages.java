package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.RollbackPolicy;
import dev.weir.observe.admin.AdminReply;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.http.ErrorBody;
import dev.weir.model.Shown;
import dev.weir.routing.traffic.BudgetWindow;
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
 * Shows operators which requests go to which cluster, and lets them change it. What they change
 * holds on this gateway until the file's traffic changes, {@code POST /traffic/reset}, or a
 * restart.
 *
 * @param desk chooses clusters
 * @param more further parts of what is shown, by name
 */
public record TrafficPages(TrafficDesk desk, Map<String, Supplier<Object>> more) {
  private static final int BAD_REQUEST = 400;

  /** Adds the pages to the admin server's. */
  public void addTo(AdminPageRegistry site) {
    site.get("/traffic", () -> AdminReply.json(200, show()))
        .postWith("/traffic/shift", this::shift)
        .postWith("/traffic/cutover", this::cutOver)
        .post("/traffic/reset", this::reset);
  }

  private AdminReply shift(Map<String, String> query) {
    String scope = query.getOrDefault("policy", Shift.STANDARD);
    if (!scope.isEmpty() && desk.plans().stream().noneMatch(plan -> plan.name().equals(scope))) {
      return refuse("policy: got [" + scope + "] (expected: one of policies in the file)");
    }
    Map<String, Double> weights = new LinkedHashMap<>();
    double sum = 0;
    for (Map.Entry<String, String> said : query.entrySet()) {
      if (!said.getKey().equals("policy")) {
        Double weight = weight(said.getValue());
        if (!known(said.getKey()) || weight == null) {
          return refuse(
              said.getKey()
                  + ": got ["
                  + said.getValue()
                  + "] (expected: weights of clusters, 0 or more, such as "
                  + desk.clusters().getFirst().name()
                  + "=90; known are "
                  + names()
                  + ")");
        }
        weights.put(said.getKey(), weight);
        sum += weight;
      }
    }
    if (sum <= 0) {
      return refuse("got no weight over 0 (expected: a weight for one of " + names() + ")");
    }
    desk.shift(scope, weights, "asked for");
    return AdminReply.json(200, show());
  }

  private static @Nullable Double weight(String text) {
    try {
      double weight = Double.parseDouble(text);
      return weight >= 0 && weight <= 1_000_000 ? weight : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private AdminReply cutOver(Map<String, String> query) {
    String to = query.getOrDefault("to", "");
    if (!known(to)) {
      return refuse("to: got [" + to + "] (expected: one of " + names() + ")");
    }
    desk.cutOver(to, "asked for");
    return AdminReply.json(200, show());
  }

  private AdminReply reset() {
    desk.reset();
    return AdminReply.json(200, show());
  }

  private boolean known(String cluster) {
    return desk.clusters().stream().anyMatch(one -> one.name().equals(cluster));
  }

  private String names() {
    return desk.clusters().stream().map(Cluster::name).collect(Collectors.joining(", "));
  }

  private static AdminReply refuse(String reason) {
    ErrorBody body = new ErrorBody(BAD_REQUEST, "illegal_argument_exception", reason);
    return AdminReply.json(BAD_REQUEST, StandardCharsets.UTF_8.decode(body.bytes(true)).toString());
  }

  private Map<String, Object> show() {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("clusters", desk.clusters().stream().map(this::cluster).toList());
    body.put("policies", desk.plans().stream().map(this::plan).toList());
    List<Object> shifts = new ArrayList<>();
    desk.shifts().forEach((scope, shift) -> shifts.add(shift(scope, shift)));
    body.put("instead_of_the_file", shifts);
    body.put("answered_instead", desk.answeredInstead());
    body.put("rolled_back", desk.budgets().rolledBack());
    more.forEach((name, part) -> body.put(name, part.get()));
    return body;
  }

  private Map<String, Object> cluster(Cluster cluster) {
    long requests = 0;
    long errors = 0;
    for (TrafficCounts counts : desk.counts()) {
      if (counts.cluster().equals(cluster.name())) {
        requests += counts.requests();
        errors += counts.errors();
      }
    }
    Map<String, Object> row = new LinkedHashMap<>();
    String missing = cluster.missing();
    row.put("name", cluster.name());
    row.put("reached", missing == null);
    row.put("missing", missing == null ? "" : missing);
    row.put("requests", requests);
    row.put("errors", errors);
    return row;
  }

  private Map<String, Object> plan(Plan plan) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("policy", plan.name());
    row.put("weights", plan.weights());
    row.put("file_weights", plan.policy().weights());
    row.put("clusters", plan.split().clusters());
    row.put("split_by", Shown.word(plan.policy().splitBy()));
    row.put("canary_header", plan.policy().canaryHeader());
    row.put("shadow_to", plan.policy().shadow().to());
    row.put("dual_writes_to", plan.policy().dualWrites().to());
    Map<String, Object> requests = new LinkedHashMap<>();
    for (TrafficCounts counts : desk.counts()) {
      if (counts.policy().equals(plan.name())) {
        requests.put(counts.cluster(), counts.requests());
      }
    }
    row.put("requests", requests);
    BudgetWindow.Figures window = desk.budgets().of(plan.name());
    if (window != null) {
      RollbackPolicy allowed = plan.policy().rollback();
      Map<String, Object> rollback = new LinkedHashMap<>();
      rollback.put("to", allowed.to());
      rollback.put("window_ms", allowed.window().toMillis());
      rollback.put("min_requests", allowed.minRequests());
      rollback.put("max_errors", allowed.maxErrors());
      rollback.put("max_differences", allowed.maxDifferences());
      rollback.put("requests", window.home());
      rollback.put("errors", window.homeErrors());
      rollback.put("requests_elsewhere", window.others());
      rollback.put("errors_elsewhere", window.othersErrors());
      rollback.put("compared", window.compared());
      rollback.put("different", window.different());
      row.put("rollback", rollback);
    }
    return row;
  }

  private static Map<String, Object> shift(String scope, Shift shift) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("for", scope.isEmpty() ? "the whole gateway" : scope);
    row.put("weights", shift.weights());
    row.put("by", shift.by());
    row.put("why", shift.why());
    row.put("since", Instant.ofEpochMilli(shift.sinceMillis()).toString());
    return row;
  }
}
