package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.TrafficPolicy;
import dev.weir.routing.traffic.WeightedSplit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A compiled traffic policy.
 *
 * @param name the policy's name; empty for the whole gateway
 * @param policy the configured policy
 * @param weights the weights in force, overridden or configured
 * @param split draws a cluster by the weights
 * @param destinations by cluster name, with failover for reads
 * @param pinnedDestinations by cluster name, without failover, for requests that belong to one
 *     cluster
 */
record TrafficPlan(
    String name,
    TrafficPolicy policy,
    Map<String, Double> weights,
    WeightedSplit split,
    Map<String, ClusterDestination> destinations,
    Map<String, ClusterDestination> pinnedDestinations) {

  /** The destination that a request is drawn to. */
  ClusterDestination select(LazyRequestAttributes attributes) {
    if (split.clusters().size() == 1) {
      ClusterDestination only = destination(split.clusters().getFirst());
      return only.isUsable() || !attributes.isRead() ? only : failoverFor(only);
    }
    long key = WeightedSplit.hash(attributes.splitKey(policy.splitBy()));
    if (!attributes.isRead()) {
      return destination(split.draw(key));
    }
    String drawn = split.draw(key, cluster -> destination(cluster).isUsable());
    return drawn == null ? failoverFor(destination(split.draw(key))) : destination(drawn);
  }

  private ClusterDestination failoverFor(ClusterDestination unavailable) {
    ClusterDestination other = selectFailover(unavailable.cluster().name());
    return other == null ? unavailable : other;
  }

  /** An available cluster to which reads of another one can fail over; null if there is none. */
  @Nullable ClusterDestination selectFailover(String insteadOf) {
    Predicate<String> other = name -> !name.equals(insteadOf) && destination(name).isUsable();
    for (String drawn : split.clusters()) {
      if (other.test(drawn)) {
        return destination(drawn);
      }
    }
    String last = policy.rollback().targetCluster();
    return !last.isEmpty() && other.test(last) ? destination(last) : null;
  }

  /** The shares of the clusters that requests are drawn to; their sum is 1. */
  Map<String, Double> shares() {
    List<String> drawn = split.clusters();
    if (drawn.size() == 1) {
      return Map.of(drawn.getFirst(), 1.0); // it may have no weight
    }
    double sum = drawn.stream().mapToDouble(cluster -> weights.getOrDefault(cluster, 0.0)).sum();
    Map<String, Double> shares = new LinkedHashMap<>();
    for (String cluster : drawn) {
      shares.put(cluster, weights.getOrDefault(cluster, 0.0) / sum);
    }
    return shares;
  }

  ClusterDestination destination(String cluster) {
    return find(destinations, cluster);
  }

  ClusterDestination pinnedDestination(String cluster) {
    return find(pinnedDestinations, cluster);
  }

  private static ClusterDestination find(
      Map<String, ClusterDestination> destinations, String cluster) {
    ClusterDestination found = destinations.get(cluster);
    if (found == null) {
      throw new IllegalStateException(
          "got cluster " + cluster + " (expected: one of " + destinations.keySet() + ")");
    }
    return found;
  }
}
