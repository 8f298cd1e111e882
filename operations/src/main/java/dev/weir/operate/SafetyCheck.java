package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.RestTarget;
import dev.weir.operate.ClusterLayout.Node;
import dev.weir.operate.ClusterLayout.Shard;
import dev.weir.operate.GatewayAdmin.NodeRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds reasons not to begin with some nodes. Each says what to do. Changes nothing.
 *
 * @param cluster is asked
 * @param gateways are asked
 */
record SafetyCheck(ClusterApi cluster, GatewayAdmin gateways) {
  private static final int MIN_ELIGIBLE = 3;
  private static final int EXAMPLES = 5;

  List<String> refusals(OperationKind kind, List<String> batch, ClusterLayout layout)
      throws OperationException, InterruptedException {
    List<String> refusals = new ArrayList<>();
    for (String name : batch) {
      Node node = layout.findNode(name);
      if (node == null) {
        refusals.add(
            "node "
                + name
                + " is not in the cluster (expected: one of "
                + String.join(", ", layout.nodes().keySet())
                + ")");
      } else if (!NodeCommand.isPlain(node)) {
        refusals.add(
            "the name, host or id of node "
                + name
                + " has characters other than letters, digits and . _ : - [ ]: give it another"
                + " node.name, or do this by hand");
      }
    }
    if (!refusals.isEmpty()) {
      return refusals;
    }
    if (layout.members().hasExclusions()) {
      refusals.add(
          "nodes are excluded from voting: end what excluded them, or DELETE"
              + " /_cluster/voting_config_exclusions?wait_for_removal=false");
    }
    boolean moves =
        kind == OperationKind.MOVE_MANAGER
            || (kind.restarts() && batch.contains(layout.members().manager()));
    if (moves && layout.eligibleNodes() < MIN_ELIGIBLE) {
      refusals.add(
          "the cluster has "
              + layout.eligibleNodes()
              + " nodes that may be manager (expected: 3 or more), so the manager can't move"
              + " safely: add one");
    }
    if (kind == OperationKind.MOVE_MANAGER) {
      return refusals;
    }
    checkCluster(kind, batch, layout, refusals);
    checkGateways(batch, refusals);
    return refusals;
  }

  private void checkCluster(
      OperationKind kind, List<String> batch, ClusterLayout layout, List<String> refusals)
      throws OperationException, InterruptedException {
    JsonTree health = cluster.health();
    if (!health.text("status").equals("green")) {
      refusals.add(
          "the cluster is "
              + health.text("status")
              + ": wait until it is green, or find out why by GET /_cluster/allocation/explain");
    }
    if (health.number("relocating_shards") > 0 || health.number("initializing_shards") > 0) {
      refusals.add("shards are moving: wait until they have arrived");
    }
    List<Shard> lost = layout.lostWithout(new HashSet<>(batch));
    if (!lost.isEmpty()) {
      refusals.add(
          lost.size()
              + " shards have no started copy on another node, such as "
              + lost.getFirst()
              + ": give their indices a replica ("
              + String.join(
                  ", ", lost.stream().map(Shard::index).distinct().limit(EXAMPLES).toList())
              + ")");
    }
    if (!kind.restarts()) {
      return;
    }
    if (!layout.members().keepsQuorumWithout(new HashSet<>(batch))) {
      refusals.add(
          "without "
              + String.join(", ", batch)
              + " no majority of the "
              + layout.members().votingIds().size()
              + " voting nodes is left: add nodes that may be manager");
    }
    Map<String, String> settings = cluster.settings();
    String allocation = ClusterSettings.effective(settings, ClusterSettings.ALLOCATION);
    if (!allocation.isEmpty() && !allocation.equals("all")) {
      refusals.add(
          ClusterSettings.ALLOCATION
              + " is "
              + allocation
              + ", so copies would not come back: set it to all");
    }
    refusals.addAll(new DiskCheck(cluster).refusals());
  }

  private void checkGateways(List<String> batch, List<String> refusals)
      throws OperationException, InterruptedException {
    for (RestTarget gateway : gateways.targets()) {
      List<NodeRow> rows;
      try {
        rows = gateways.nodes(gateway);
      } catch (IOException e) {
        refusals.add(
            "the gateway at "
                + gateway.base()
                + " does not answer ("
                + e
                + "): name the admin ports of all gateways by --admin");
        continue;
      }
      Set<String> known = new HashSet<>();
      for (NodeRow row : rows) {
        if (row.isInCluster()) {
          known.add(row.name());
        }
        if (!batch.contains(row.name()) && row.isInCluster() && row.weight() < 1) {
          refusals.add(
              "node "
                  + row.name()
                  + " is "
                  + row.state()
                  + ": take it back first (POST /nodes/"
                  + row.name()
                  + "/restore)");
        }
      }
      for (String name : batch) {
        if (!known.contains(name)) {
          refusals.add("the gateway at " + gateway.base() + " does not know node " + name);
        }
      }
    }
  }
}
