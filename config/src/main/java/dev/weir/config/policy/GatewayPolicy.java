package dev.weir.config.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The whole configuration.
 *
 * @param clusters by name, in the order of the file
 * @param traffic which cluster a request goes to
 * @param routes which requests follow a named policy; the first match applies
 * @param policies the named policies of routes
 */
public record GatewayPolicy(
    @ConfigKey(
            doc =
                "The clusters behind the gateway, by name. Requests go to the first one unless"
                    + " traffic says otherwise.",
            min = "1",
            max = "8")
        Map<String, ClusterPolicy> clusters,
    @Dynamic TrafficPolicy traffic,
    HttpPolicy http,
    AdminPolicy admin,
    HealthPolicy health,
    @Dynamic RoutingPolicy routing,
    @Dynamic BulkPolicy bulk,
    @Dynamic AdmissionPolicy admission,
    @Dynamic SearchPolicy search,
    @Dynamic ResponsesPolicy responses,
    ObservabilityPolicy observability,
    @Dynamic OperationsPolicy operations,
    @Dynamic
        @ConfigKey(
            value = "",
            max = "10000",
            doc =
                "Which requests follow a named policy, as a list of conditions. The first route"
                    + " that matches applies. Requests without a matching route follow the sections"
                    + " of the whole file.")
        List<RoutePolicy> routes,
    @Dynamic
        @ConfigKey(
            value = "",
            max = "1000",
            doc =
                "Settings for the requests of routes, by the names that routes refer to, such as"
                    + " {logs: {traffic: {weights: {green: 1}}}}. A policy may have: traffic;"
                    + " deadline, coalescing, request-memory.max-bytes and"
                    + " request-memory.node-ceiling (as under admission);"
                    + " trimming and sampling (as under responses); routing with algorithm,"
                    + " hedging, retries and locality; bulk with single-shard, truncate-keywords,"
                    + " merge and streaming; and max-in-flight. A key that a policy leaves out has"
                    + " the value of the section of the whole file, at every depth; a list or a map"
                    + " replaces the whole list or map.")
        Map<String, PolicyOverrides> policies) {

  /** Returns the name of the first cluster. */
  public String defaultClusterName() {
    return clusters.keySet().iterator().next();
  }

  /** Returns the first cluster. */
  public ClusterPolicy defaultCluster() {
    return clusters.values().iterator().next();
  }

  /** Returns the settings of requests without a matching route. */
  public PolicySettings defaultPolicySettings() {
    return PolicySettings.defaults(this);
  }

  /** Returns the settings of routed requests, by policy name. */
  public Map<String, PolicySettings> namedPolicySettings() {
    Map<String, PolicySettings> named = new LinkedHashMap<>();
    policies.forEach((name, own) -> named.put(name, PolicySettings.withOverrides(own, this)));
    return named;
  }

  /** Returns the same configuration with other clusters. */
  public GatewayPolicy withClusters(Map<String, ClusterPolicy> others) {
    return new GatewayPolicy(
        others,
        traffic,
        http,
        admin,
        health,
        routing,
        bulk,
        admission,
        search,
        responses,
        observability,
        operations,
        routes,
        policies);
  }
}
