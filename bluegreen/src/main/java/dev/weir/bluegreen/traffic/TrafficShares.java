package dev.weir.bluegreen.traffic;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which clusters get requests, by the weights in force.
 *
 * @param byDefault the shares of requests without a named policy, by cluster; their sum is 1
 * @param clusters that get requests of any policy
 */
public record TrafficShares(Map<String, Double> byDefault, Set<String> clusters) {
  static TrafficShares of(RoutingSnapshot snapshot) {
    Set<String> clusters = new LinkedHashSet<>(snapshot.defaultPlan().split().clusters());
    snapshot.plans().values().forEach(plan -> clusters.addAll(plan.split().clusters()));
    return new TrafficShares(snapshot.defaultPlan().shares(), clusters);
  }
}
