package dev.weir.gateway;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.PrometheusMetrics;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Requests in flight of the policies that bound them, for operators. */
final class PolicyStatsReporter {
  private PolicyStatsReporter() {}

  private record PolicyLimit(String policy, ConcurrencyLimiter limit) {}

  private static List<PolicyLimit> policyLimits(
      RequestPolicies requests, PolicyBulkheads bulkheads) {
    List<PolicyLimit> rows = new ArrayList<>();
    for (RequestPolicy policy : requests.all()) {
      ConcurrencyLimiter bound = bulkheads.limiterFor(policy);
      if (bound != null) {
        rows.add(new PolicyLimit(policy.name(), bound));
      }
    }
    return rows;
  }

  static Map<String, Object> toMap(RequestPolicies requests, PolicyBulkheads bulkheads) {
    Map<String, Object> byName = new LinkedHashMap<>();
    for (PolicyLimit row : policyLimits(requests, bulkheads)) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("in_flight", row.limit().inFlight());
      shown.put("limit", row.limit().maxInFlight());
      shown.put("rejections", row.limit().rejected());
      byName.put(row.policy(), shown);
    }
    return byName;
  }

  static void bind(
      Supplier<RequestPolicies> requests, PolicyBulkheads bulkheads, PrometheusMetrics metrics) {
    metrics.table(
        new MetricTable<PolicyLimit>(
            () -> policyLimits(requests.get(), bulkheads),
            row -> Map.of("policy", row.policy()),
            List.of(
                Column.gauge(
                    "weir_policy_requests_in_flight",
                    "Coordinated requests of a policy that bounds them, let in and not finished",
                    row -> row.limit().inFlight()),
                Column.gauge(
                    "weir_policy_requests_in_flight_limit",
                    "How many of them may be in flight",
                    row -> row.limit().maxInFlight()),
                Column.counter(
                    "weir_policy_request_rejections",
                    "Requests rejected because the max-in-flight of their policy was reached",
                    row -> row.limit().rejected()))));
  }
}
