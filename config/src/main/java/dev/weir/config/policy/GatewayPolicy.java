package dev.weir.config.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Everything that can be configured.
 *
 * @param clusters the clusters behind the gateway, by name, in the order of the file
 * @param traffic which of them a request goes to
 * @param routes which requests are treated otherwise; the first one that matches counts
 * @param policies how, by the names that routes give
 */
public record GatewayPolicy(
    @Setting(
            doc =
                "The clusters behind the gateway, by name. The first one gets what nothing else is"
                    + " said of.",
            min = "1",
            max = "8")
        Map<String, ClusterPolicy> clusters,
    @Live TrafficPolicy traffic,
    HttpPolicy http,
    AdminPolicy admin,
    @Live RoutingPolicy routing,
    @Live BulkPolicy bulk,
    @Live AdmissionPolicy admission,
    @Live SearchPolicy search,
    @Live ResponsesPolicy responses,
    ObservabilityPolicy observability,
    @Live
        @Setting(
            value = "",
            max = "10000",
            doc =
                "Which requests are treated by a policy of their own; the first that matches"
                    + " counts. None matches: as the sections of the whole file say.")
        List<RoutePolicy> routes,
    @Live
        @Setting(
            value = "",
            max = "1000",
            doc =
                "How requests of routes are treated, by names that routes give, such as {logs:"
                    + " {traffic: {weights: {green: 1}}}}. Sections are traffic, deadline and"
                    + " coalescing (as in admission), trimming and sampling (as in responses). What"
                    + " a policy does not say is as that section says for all, at every depth;"
                    + " lists and maps are taken over as a whole.")
        Map<String, OverridesPolicy> policies) {

  /** The name of the first cluster. */
  public String clusterName() {
    return clusters.keySet().iterator().next();
  }

  /** The first cluster. */
  public ClusterPolicy cluster() {
    return clusters.values().iterator().next();
  }

  /** Until when answers are waited for. */
  public ByPolicy<DeadlinePolicy> deadlines() {
    return by(admission.deadline(), OverridesPolicy::deadline);
  }

  /** Which identical searches run once. */
  public ByPolicy<CoalescingPolicy> coalescings() {
    return by(admission.coalescing(), OverridesPolicy::coalescing);
  }

  /** What is left out of answers. */
  public ByPolicy<TrimmingPolicy> trimmings() {
    return by(responses.trimming(), OverridesPolicy::trimming);
  }

  /** What may be answered by estimates. */
  public ByPolicy<SamplingPolicy> samplings() {
    return by(responses.sampling(), OverridesPolicy::sampling);
  }

  private <T> ByPolicy<T> by(T standard, Function<OverridesPolicy, T> named) {
    Map<String, T> others = new LinkedHashMap<>();
    policies.forEach((name, policy) -> others.put(name, named.apply(policy)));
    return new ByPolicy<>(standard, others);
  }
}
