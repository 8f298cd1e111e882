package dev.weir.cluster;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a cluster is followed.
 *
 * @param seeds where to look for its nodes at first
 * @param clusterUuid the only cluster to follow; null for the one that the first seed belongs to
 * @param pollInterval between looks whether the state changed; each is up to a tenth longer or
 *     shorter
 * @param gateway the gateway as a node of its views
 * @param headers sent with each call, such as credentials
 */
public record ClusterFollowerOptions(
    SeedHosts seeds,
    @Nullable String clusterUuid,
    Duration pollInterval,
    GatewayIdentity gateway,
    Map<String, String> headers) {

  /**
   * The gateway as a node of its own views, where it is a coordinating-only node.
   *
   * @param name its name
   * @param attributes such as zone, for allocation awareness
   */
  public record GatewayIdentity(String name, Map<String, String> attributes) {}

  /** With the usual second between looks. */
  public static ClusterFollowerOptions of(SeedHosts seeds) {
    return new ClusterFollowerOptions(
        seeds, null, Duration.ofSeconds(1), new GatewayIdentity("weir", Map.of()), Map.of());
  }
}
