package dev.weir.config.policy;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a changed configuration's traffic waits for the restart that its clusters wait
 * for: until then its requests would go to a cluster that is not the one that the file means. Pure.
 */
final class TrafficDeferral {
  /** The name of the traffic of requests without a policy; no policy has it. */
  private static final String DEFAULT_POLICY = "";

  /** Shares that differ by less are equal. */
  private static final double ROUNDING = 1e-9;

  private TrafficDeferral() {}

  /**
   * Returns whether the new file would send requests to a cluster that does not run yet, or that
   * becomes the first one, or more of them than now to one that runs as another than the file says.
   */
  static boolean isNeeded(GatewayPolicy running, GatewayPolicy read) {
    Set<String> named = new LinkedHashSet<>();
    traffic(read).values().forEach(traffic -> named.addAll(traffic.clusters()));
    if (!running.clusters().keySet().containsAll(named)) {
      return true;
    }
    if (!running.defaultClusterName().equals(read.defaultClusterName())
        && traffic(read).values().stream().anyMatch(TrafficDeferral::usesDefaultCluster)) {
      return true;
    }
    return read.clusters().entrySet().stream()
        .filter(cluster -> isAnother(running.clusters().get(cluster.getKey()), cluster.getValue()))
        .anyMatch(cluster -> getsMore(cluster.getKey(), running, read));
  }

  /** Returns the traffic of requests without a policy, and that of each policy by its name. */
  private static Map<String, TrafficPolicy> traffic(GatewayPolicy all) {
    Map<String, TrafficPolicy> traffic = new LinkedHashMap<>();
    traffic.put(DEFAULT_POLICY, all.traffic());
    all.policies().forEach((name, policy) -> traffic.put(name, policy.traffic()));
    return traffic;
  }

  /** Returns whether any requests go to the first cluster because nothing names their cluster. */
  private static boolean usesDefaultCluster(TrafficPolicy traffic) {
    return traffic.weights().values().stream().noneMatch(weight -> weight > 0);
  }

  /**
   * Returns whether requests that reach a cluster reach another one, other indices, or these with
   * other permissions, once it runs as the file says. Seeds of which some stay lead to the same
   * cluster. How it is reached makes no other cluster of it, so such a change keeps no traffic
   * waiting.
   */
  private static boolean isAnother(@Nullable ClusterPolicy running, ClusterPolicy read) {
    return running != null
        && (Collections.disjoint(running.seeds(), read.seeds())
            || !List.copyOf(running.indexRenames().entrySet())
                .equals(List.copyOf(read.indexRenames().entrySet()))
            || running.authorization() != read.authorization());
  }

  /** Returns whether the new file sends a cluster some requests that do not go there now. */
  private static boolean getsMore(String cluster, GatewayPolicy running, GatewayPolicy read) {
    Set<String> left = policiesOfChangedRoutes(running, read);
    Set<String> joined = policiesOfChangedRoutes(read, running);
    for (Map.Entry<String, TrafficPolicy> now : traffic(read).entrySet()) {
      for (Map.Entry<String, TrafficPolicy> then : traffic(running).entrySet()) {
        boolean isSame = now.getKey().equals(then.getKey());
        // a changed route may take requests from any policy, and leave its own to any
        if ((isSame || left.contains(then.getKey()) || joined.contains(now.getKey()))
            && (share(cluster, now.getValue(), read)
                    > share(cluster, then.getValue(), running) + ROUNDING
                || isNewlyNamedByClients(then.getValue(), now.getValue())
                || becomesTarget(cluster, then.getValue(), now.getValue()))) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Returns the policies of a file's routes that another file does not have; those of all routes if
   * the other one has the same routes in another order.
   */
  private static Set<String> policiesOfChangedRoutes(GatewayPolicy file, GatewayPolicy other) {
    Set<RoutePolicy> common = new LinkedHashSet<>(file.routes());
    common.retainAll(new HashSet<>(other.routes()));
    List<RoutePolicy> commonOfOther = other.routes().stream().filter(common::contains).toList();
    boolean isReordered = !List.copyOf(common).equals(commonOfOther);
    return file.routes().stream()
        .filter(route -> isReordered || !common.contains(route))
        .map(RoutePolicy::policy)
        .collect(Collectors.toSet());
  }

  /** The part that a cluster gets of the requests of a policy, 0 to 1. */
  private static double share(String cluster, TrafficPolicy traffic, GatewayPolicy all) {
    if (usesDefaultCluster(traffic)) {
      return cluster.equals(all.defaultClusterName()) ? 1 : 0;
    }
    double sum =
        traffic.weights().values().stream().mapToDouble(weight -> Math.max(0, weight)).sum();
    return Math.max(0, traffic.weights().getOrDefault(cluster, 0.0)) / sum;
  }

  /** Returns whether a header of clients names the cluster of requests that it did not before. */
  private static boolean isNewlyNamedByClients(TrafficPolicy before, TrafficPolicy after) {
    return !after.canaryHeader().isEmpty()
        && !after.canaryHeader().equalsIgnoreCase(before.canaryHeader());
  }

  private static boolean becomesTarget(String cluster, TrafficPolicy before, TrafficPolicy after) {
    return isNewTarget(cluster, before.shadow().targetCluster(), after.shadow().targetCluster())
        || isNewTarget(
            cluster, before.dualWrites().targetCluster(), after.dualWrites().targetCluster())
        || isNewTarget(
            cluster, before.rollback().targetCluster(), after.rollback().targetCluster());
  }

  private static boolean isNewTarget(String cluster, String before, String after) {
    return after.equals(cluster) && !before.equals(cluster);
  }
}
