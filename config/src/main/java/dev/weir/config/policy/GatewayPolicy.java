package dev.weir.config.policy;

import java.util.Map;

/**
 * Everything that can be configured.
 *
 * @param clusters the clusters behind the gateway, by name; exactly one for now
 */
public record GatewayPolicy(
    @Setting(doc = "The clusters behind the gateway, by name.", min = "1", max = "1")
        Map<String, ClusterPolicy> clusters,
    HttpPolicy http,
    AdminPolicy admin,
    @Live RoutingPolicy routing,
    @Live BulkPolicy bulk,
    @Live AdmissionPolicy admission,
    @Live SearchPolicy search,
    @Live ResponsesPolicy responses,
    ObservabilityPolicy observability) {

  /** The name of the one cluster. */
  public String clusterName() {
    return clusters.keySet().iterator().next();
  }

  /** The one cluster. */
  public ClusterPolicy cluster() {
    return clusters.values().iterator().next();
  }
}
