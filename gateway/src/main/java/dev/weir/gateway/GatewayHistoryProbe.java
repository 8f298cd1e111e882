package dev.weir.gateway;

import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.gateway.cluster.SharedResources;
import dev.weir.gateway.history.HistoryProbe;
import dev.weir.gateway.readiness.Readiness;
import dev.weir.routing.weight.NodeWeight;
import dev.weir.routing.weight.NodeWeights;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * What the history asks the gateway for. Safe on any thread.
 *
 * @param notServingReasons why the process takes no requests; empty while it does
 */
record GatewayHistoryProbe(
    ClusterRuntimes clusters,
    SharedResources resources,
    Supplier<List<String>> notServingReasons,
    Readiness readiness)
    implements HistoryProbe {
  private static final double PERCENT = 100;

  @Override
  public int inFlight() {
    return resources.limits().concurrency().inFlight();
  }

  @Override
  public int waiting() {
    return clusters.all().stream()
        .mapToInt(cluster -> cluster.connection().admission().gate().queues().waiting())
        .sum();
  }

  @Override
  public Map<String, Double> nodeCpu() {
    Map<String, Double> byCluster = new LinkedHashMap<>();
    for (ClusterRuntime cluster : clusters.all()) {
      OptionalDouble mean = meanNodeCpu(cluster.connection());
      if (mean.isPresent()) {
        byCluster.put(cluster.name(), mean.getAsDouble());
      }
    }
    return byCluster;
  }

  private static OptionalDouble meanNodeCpu(ClusterConnection cluster) {
    return cluster.selection().loadReports().newestOfNodes().stream()
        .mapToInt(node -> node.report().cpuPercent())
        .filter(percent -> percent >= 0)
        .mapToDouble(percent -> percent / PERCENT)
        .average();
  }

  @Override
  public List<String> notReadyReasons() {
    List<String> reasons = new ArrayList<>(notServingReasons.get());
    reasons.addAll(readiness.unavailableReasons());
    return reasons;
  }

  @Override
  public Map<String, String> reducedNodes() {
    Map<String, String> reduced = new TreeMap<>();
    for (ClusterRuntime cluster : clusters.all()) {
      NodeWeights weights = cluster.connection().selection().loadTracker().weights();
      cluster
          .connection()
          .nodes()
          .follower()
          .current()
          .nodes()
          .forEach((id, node) -> {
            String name =
                clusters.all().size() > 1 ? cluster.name() + '/' + node.name() : node.name();
            if (weights.isDrained(id)) {
              reduced.put(name, "is drained");
            } else if (weights.of(id) < NodeWeight.FULL) {
              reduced.put(name, "gets less than its usual share of requests");
            }
          });
    }
    return reduced;
  }

  @Override
  public Set<Long> explainedRequests() {
    Set<Long> numbers = new HashSet<>();
    clusters
        .all()
        .forEach(cluster ->
            numbers.addAll(cluster.connection().selection().recentDecisions().recordedNumbers()));
    return numbers;
  }
}
