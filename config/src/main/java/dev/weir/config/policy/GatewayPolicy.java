package dev.weir.config.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that can be configured.
 *
 * @param clusters the clusters behind the gateway, by name, in the order of the file
 * @param traffic which of them a request goes to
 * @param routes which requests are treated otherwise; the first one that matches counts
 * @param policies how, by the names that routes give
 */
public record GatewayPolicy(
    @ConfigKey(
            doc =
                "The clusters behind the gateway, by name. The first one gets what nothing else is"
                    + " said of.",
            min = "1",
            max = "8")
        Map<String, ClusterPolicy> clusters,
    @Dynamic TrafficPolicy traffic,
    HttpPolicy http,
    AdminPolicy admin,
    @Dynamic RoutingPolicy routing,
    @Dynamic BulkPolicy bulk,
    @Dynamic AdmissionPolicy admission,
    @Dynamic SearchPolicy search,
    @Dynamic ResponsesPolicy responses,
    ObservabilityPolicy observability,
    @Dynamic
        @ConfigKey(
            value = "",
            max = "10000",
            doc =
                "Which requests are treated by a policy of their own; the first that matches"
                    + " counts. None matches: as the sections of the whole file say.")
        List<RoutePolicy> routes,
    @Dynamic
        @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "How requests of routes are treated, by names that routes give, such as {logs:"
                    + " {traffic: {weights: {green: 1}}}}. Sections are traffic; deadline,"
                    + " coalescing and request-memory.max-bytes (as in admission); trimming and"
                    + " sampling (as in responses); of routing: policy, hedging, retries,"
                    + " locality; of bulk: directed, truncate-keywords,"
                    + " merge, streaming. What a policy does not say is as that section says for"
                    + " all, at every depth; lists and maps are taken over as a whole. And"
                    + " max-in-flight: coordinated requests of its routes at once; absent: no bound"
                    + " of their own.")
        Map<String, PolicyOverrides> policies) {

  /** The name of the first cluster. */
  public String defaultClusterName() {
    return clusters.keySet().iterator().next();
  }

  /** The first cluster. */
  public ClusterPolicy defaultCluster() {
    return clusters.values().iterator().next();
  }

  /** How requests are treated that no route names a policy for. */
  public PolicySettings defaultPolicySettings() {
    return PolicySettings.defaults(this);
  }

  /** How the others are, by the names of their policies. */
  public Map<String, PolicySettings> namedPolicySettings() {
    Map<String, PolicySettings> named = new LinkedHashMap<>();
    policies.forEach((name, own) -> named.put(name, PolicySettings.withOverrides(own, this)));
    return named;
  }
}
