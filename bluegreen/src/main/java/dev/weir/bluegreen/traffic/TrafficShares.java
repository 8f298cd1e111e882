package dev.weir.bluegreen.traffic;

import java.util.LinkedHashMap;
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
    return new TrafficShares(shares(snapshot.defaultPlan()), clusters);
  }

  private static Map<String, Double> shares(TrafficPlan plan) {
    Map<String, Double> shares = new LinkedHashMap<>();
    double sum = 0;
    for (String cluster : plan.split().clusters()) {
      double weight = plan.weights().getOrDefault(cluster, 1.0); // 1 of the only one, unweighted
      shares.put(cluster, weight);
      sum += weight;
    }
    double all = sum;
    shares.replaceAll((cluster, weight) -> weight / all);
    return shares;
  }
}
