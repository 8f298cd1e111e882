package dev.weir.bluegreen.traffic;

import dev.weir.config.policy.TrafficPolicy;
import dev.weir.routing.traffic.WeightedSplit;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A traffic policy made ready.
 *
 * @param name of the policy; empty for the one of the whole gateway
 * @param policy what the file says
 * @param weights in force, which may be others than the file's
 * @param split the draw by them
 * @param destinations to the clusters by their names, where another one may answer instead
 * @param pinnedDestinations the same for requests that are one cluster's alone
 */
record TrafficPlan(
    String name,
    TrafficPolicy policy,
    Map<String, Double> weights,
    WeightedSplit split,
    Map<String, ClusterDestination> destinations,
    Map<String, ClusterDestination> pinnedDestinations) {

  /** The way to the cluster that a request is drawn to. */
  ClusterDestination select(LazyRequestAttributes asked) {
    if (split.clusters().size() == 1) {
      ClusterDestination only = destination(split.clusters().getFirst());
      return only.isUsable() || !asked.isRead() ? only : failoverFor(only);
    }
    long key = WeightedSplit.hash(asked.splitKey(policy.splitBy()));
    if (!asked.isRead()) {
      return destination(split.draw(key));
    }
    String drawn = split.draw(key, cluster -> destination(cluster).isUsable());
    return drawn == null ? failoverFor(destination(split.draw(key))) : destination(drawn);
  }

  private ClusterDestination failoverFor(ClusterDestination lost) {
    ClusterDestination other = selectFailover(lost.cluster().name());
    return other == null ? lost : other;
  }

  /** A usable cluster that may answer reads instead of one; null for none. */
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

  ClusterDestination destination(String cluster) {
    return Objects.requireNonNull(
        destinations.get(cluster), "got no such cluster (expected: a checked one)");
  }

  ClusterDestination pinnedDestinations(String cluster) {
    return Objects.requireNonNull(
        pinnedDestinations.get(cluster), "got no such cluster (expected: a checked one)");
  }
}
