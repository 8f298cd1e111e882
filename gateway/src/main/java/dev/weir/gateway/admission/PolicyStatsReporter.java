package dev.weir.gateway.admission;

import dev.weir.admission.ConcurrencyLimiter;
import dev.weir.admission.PolicyBulkheads;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reports the requests in flight of each policy that bounds them: an entry of the section {@code
 * requests} of {@code /stats}, and its metrics.
 *
 * @param requests the policies that requests are given now
 */
public record PolicyStatsReporter(Supplier<RequestPolicies> requests, PolicyBulkheads bulkheads)
    implements StatsReporter {

  private record PolicyLimit(String policy, ConcurrencyLimiter limit) {}

  private List<PolicyLimit> policyLimits() {
    List<PolicyLimit> rows = new ArrayList<>();
    for (RequestPolicy policy : requests.get().all()) {
      ConcurrencyLimiter bound = bulkheads.limiterFor(policy);
      if (bound != null) {
        rows.add(new PolicyLimit(policy.name(), bound));
      }
    }
    return rows;
  }

  /** The entry {@code by_policy}. */
  public Map<String, Object> toMap() {
    Map<String, Object> byName = new LinkedHashMap<>();
    for (PolicyLimit row : policyLimits()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("in_flight", row.limit().inFlight());
      shown.put("limit", row.limit().maxInFlight());
      shown.put("rejections", row.limit().rejected());
      byName.put(row.policy(), shown);
    }
    return byName;
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<PolicyLimit>(
            this::policyLimits,
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
