package dev.weir.gateway.cluster;

import dev.weir.admission.queue.NodeThreadPool;
import dev.weir.cluster.ClusterView;
import dev.weir.config.policy.ClusterPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.core.coordinate.QueuedAdmissionGate;
import dev.weir.model.NodeEndpoint;
import dev.weir.model.Phase;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.routing.NodeLoadTracker;
import java.io.IOException;
import java.util.Map;

/**
 * One cluster as the gateway reaches it. Safe on any thread.
 *
 * @param nodes connects to the nodes, and follows the cluster's state
 * @param selection selects copies and shards
 * @param admission admits requests to the nodes
 */
public record ClusterConnection(
    ClusterNodes nodes, CopySelection selection, NodeAdmission admission) implements AutoCloseable {

  /**
   * Creates a connection that does nothing until its follower is started.
   *
   * @param name of the cluster in the configuration
   * @param cluster one of the policy's clusters
   * @param registries of this cluster alone
   * @throws IOException when a file that the policy names can't be used
   */
  public static ClusterConnection connect(
      GatewayPolicy policy,
      String name,
      ClusterPolicy cluster,
      SharedResources shared,
      OpenSearchRegistries registries)
      throws IOException {
    ClusterNodes nodes = ClusterNodes.create(policy, name, cluster, shared, registries);
    NodeAdmission admission = NodeAdmission.create(policy, shared);
    CopySelection selection =
        CopySelection.create(
            policy,
            nodes.follower(),
            shared,
            () -> admission.hasWaitingRequests() || shared.limits().isBusy());
    admission
        .gate()
        .queues()
        .setNodeAvailability((nodeId, threadPool, mayTest) ->
            selection.loadTracker().canAnswer(nodeId, threadPool.admittedPhase(), mayTest));
    nodes
        .follower()
        .addListener((before, now) -> {
          removeDepartedNodes(selection, admission.gate(), before, now);
          updateThreadCounts(selection.loadTracker(), admission.gate(), now);
        });
    return new ClusterConnection(nodes, selection, admission);
  }

  /** A search and its fetch run in the same thread pool of a node. */
  private static void updateThreadCounts(
      NodeLoadTracker loads, QueuedAdmissionGate gate, ClusterView now) {
    now.nodes()
        .forEach((id, node) ->
            node.threadPoolSizes()
                .forEach((pool, threads) -> {
                  switch (pool) {
                    case "search" -> {
                      loads.setThreadCount(id, Phase.QUERY, threads);
                      loads.setThreadCount(id, Phase.FETCH, threads);
                      gate.queues().setThreads(id, NodeThreadPool.SEARCH, threads);
                    }
                    case "get" -> {
                      loads.setThreadCount(id, Phase.GET, threads);
                      gate.queues().setThreads(id, NodeThreadPool.GET, threads);
                    }
                    case "write" -> {
                      loads.setThreadCount(id, Phase.WRITE, threads);
                      gate.queues().setThreads(id, NodeThreadPool.WRITE, threads);
                    }
                    default -> {
                      // the gateway sends nothing to other thread pools
                    }
                  }
                }));
  }

  /** Forgets nodes that left the cluster, and what was learned before a restart. */
  private static void removeDepartedNodes(
      CopySelection selection, QueuedAdmissionGate gate, ClusterView before, ClusterView now) {
    Map<String, NodeEndpoint> nodes = now.nodes();
    selection.loadTracker().retainOnly(nodes.keySet());
    selection.loadReports().retainOnly(nodes.keySet());
    gate.queues().retainNodes(nodes.keySet());
    before
        .nodes()
        .forEach((id, node) -> {
          NodeEndpoint current = nodes.get(id);
          if (current != null && !current.ephemeralId().equals(node.ephemeralId())) {
            selection.loadTracker().forget(id);
            selection.loadReports().forget(id);
            gate.queues().forgetNode(id);
          }
        });
  }

  @Override
  public void close() {
    nodes.close();
  }
}
