package dev.weir.cluster;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How to follow a cluster.
 *
 * @param seeds the addresses of its first known nodes
 * @param clusterUuid the only cluster to follow; null for the cluster of the first seed that
 *     answers
 * @param pollInterval the time between polls for changes of the state; each is varied by up to a
 *     tenth
 * @param gateway the gateway as a node of its views
 * @param headers sent with each call, such as credentials
 * @param restAddresses which REST addresses of nodes get requests
 */
public record ClusterFollowerOptions(
    SeedHosts seeds,
    @Nullable String clusterUuid,
    Duration pollInterval,
    GatewayIdentity gateway,
    Map<String, String> headers,
    RestAddressFilter restAddresses) {

  /** Options that trust REST addresses in the networks of the transport addresses. */
  public ClusterFollowerOptions(
      SeedHosts seeds,
      @Nullable String clusterUuid,
      Duration pollInterval,
      GatewayIdentity gateway,
      Map<String, String> headers) {
    this(seeds, clusterUuid, pollInterval, gateway, headers, RestAddressFilter.OWN_NETWORK);
  }

  /**
   * The gateway as a coordinating-only node of its own views.
   *
   * @param name its name
   * @param attributes such as zone, for allocation awareness
   */
  public record GatewayIdentity(String name, Map<String, String> attributes) {}

  /** Options with the default interval of one second. */
  public static ClusterFollowerOptions of(SeedHosts seeds) {
    return new ClusterFollowerOptions(
        seeds, null, Duration.ofSeconds(1), new GatewayIdentity("weir", Map.of()), Map.of());
  }
}
