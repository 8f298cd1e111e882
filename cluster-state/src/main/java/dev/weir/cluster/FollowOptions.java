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
 * @param self the gateway as a node of its views
 * @param headers sent with each call, such as credentials
 */
public record FollowOptions(
    Seeds seeds,
    @Nullable String clusterUuid,
    Duration pollInterval,
    SelfName self,
    Map<String, String> headers) {

  /**
   * The gateway as a node of its own views, where it is a coordinating-only node.
   *
   * @param name its name
   * @param attributes such as zone, for allocation awareness
   */
  public record SelfName(String name, Map<String, String> attributes) {}

  /** With the usual second between looks. */
  public static FollowOptions of(Seeds seeds) {
    return new FollowOptions(
        seeds, null, Duration.ofSeconds(1), new SelfName("weir", Map.of()), Map.of());
  }
}
