package dev.weir.gateway;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.Bulkheads;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Requests in flight of the policies that bound them, for operators. */
final class PolicyFigures {
  private PolicyFigures() {}

  private record Row(String policy, AdmissionController bound) {}

  private static List<Row> rows(RequestPolicies requests, Bulkheads bulkheads) {
    List<Row> rows = new ArrayList<>();
    for (RequestPolicy policy : requests.all()) {
      AdmissionController bound = bulkheads.of(policy);
      if (bound != null) {
        rows.add(new Row(policy.name(), bound));
      }
    }
    return rows;
  }

  static Map<String, Object> stats(RequestPolicies requests, Bulkheads bulkheads) {
    Map<String, Object> byName = new LinkedHashMap<>();
    for (Row row : rows(requests, bulkheads)) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("in_flight", row.bound().inFlight());
      shown.put("limit", row.bound().most());
      shown.put("refused_in_flight", row.bound().refused());
      byName.put(row.policy(), shown);
    }
    return byName;
  }

  static void bind(Supplier<RequestPolicies> requests, Bulkheads bulkheads, Metrics metrics) {
    metrics.table(
        new NodeTable<Row>(
            () -> rows(requests.get(), bulkheads),
            row -> Map.of("policy", row.policy()),
            List.of(
                Column.gauge(
                    "weir_policy_requests_in_flight",
                    "Coordinated requests of a policy that bounds them, let in and not finished",
                    row -> row.bound().inFlight()),
                Column.gauge(
                    "weir_policy_requests_in_flight_limit",
                    "How many of them may be in flight",
                    row -> row.bound().most()),
                Column.counter(
                    "weir_policy_requests_refused",
                    "Requests refused because too many of their policy were in flight",
                    row -> row.bound().refused()))));
  }
}
