package dev.weir.operate;

import dev.weir.client.JsonTree;
import dev.weir.client.RestTarget;
import dev.weir.operate.ClusterLayout.Node;
import dev.weir.operate.ClusterLayout.Shard;
import dev.weir.operate.GatewayAdmin.NodeRow;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Finds reasons not to begin with some nodes. Each says what to do. Changes nothing.
 *
 * @param cluster is asked
 * @param gateways are asked
 */
record SafetyCheck(ClusterApi cluster, GatewayAdmin gateways) {
  /** The pause between two checks: each reads all copies of shards. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  /** How long to repeat a check that refuses, where no longer timeout applies. */
  static final Duration SETTLE = Duration.ofMinutes(2);

  private static final int MIN_ELIGIBLE = 3;
  private static final int EXAMPLES = 5;

  /**
   * What a check has found.
   *
   * @param layout the nodes and shards at that moment
   * @param refusals the reasons not to go on
   */
  record Findings(ClusterLayout layout, List<Refusal> refusals) {}

  /** The reasons not to begin with the first of some batches, or ever with one of them. */
  List<Refusal> refusals(OperationKind kind, List<List<String>> batches, ClusterLayout layout)
      throws OperationException, InterruptedException {
    Set<Refusal> refusals = new LinkedHashSet<>();
    for (List<String> batch : batches) {
      refusals.addAll(ofNodes(batch, layout));
    }
    if (!refusals.isEmpty()) {
      return List.copyOf(refusals);
    }
    if (layout.members().hasExclusions()) {
      refusals.add(
          Refusal.lasting(
              "nodes are excluded from voting: end what excluded them, or DELETE"
                  + " /_cluster/voting_config_exclusions?wait_for_removal=false"));
    }
    for (List<String> batch : batches) {
      refusals.addAll(ofCopiesAndVoters(kind, batch, layout));
    }
    if (kind == OperationKind.MOVE_MANAGER) {
      return List.copyOf(refusals);
    }
    refusals.addAll(ofCluster(kind, layout));
    refusals.addAll(ofGateways(batches));
    return List.copyOf(refusals);
  }

  /**
   * The reasons not to have nodes of a batch leave now, which is drained, while the cluster may
   * build no copies. What only keeps a restart from being begun is none: shards that move, or a
   * gateway that does not answer, whose requests in flight were waited for.
   *
   * @param names those that have not restarted; if these are the whole batch, all copies have to be
   *     there
   */
  Findings findBeforeCommand(OperationKind kind, List<String> batch, List<String> names)
      throws OperationException, InterruptedException {
    Set<Refusal> refusals = new LinkedHashSet<>();
    for (RestTarget gateway : gateways.targets()) { // first, as each may take a minute to answer
      try {
        List<NodeRow> rows = gateways.nodes(gateway);
        refusals.addAll(ofOthers(batch, rows));
        refusals.addAll(ofRestored(names, rows));
      } catch (IOException gone) {
        // the others know the same weights: these are settings of the cluster
      }
    }
    ClusterLayout layout = ClusterLayout.read(cluster);
    refusals.addAll(ofNodes(names, layout));
    refusals.addAll(ofCopiesAndVoters(kind, batch, layout));
    if (kind.restarts()) {
      refusals.addAll(ofSnapshots(layout));
    }
    if (names.size() == batch.size()) {
      refusals.addAll(ofHealth(cluster.health()));
    }
    return new Findings(layout, List.copyOf(refusals));
  }

  private static List<Refusal> ofNodes(List<String> batch, ClusterLayout layout) {
    List<Refusal> refusals = new ArrayList<>();
    for (String name : batch) {
      Node node = layout.findNode(name);
      if (node == null) {
        refusals.add(
            Refusal.ofTransient(
                "node "
                    + name
                    + " is not in the cluster (expected: one of "
                    + String.join(", ", layout.nodes().keySet())
                    + ")"));
      } else if (!node.isDescribed()) {
        refusals.add(Refusal.ofTransient(describeSilentNodes(Set.of(name))));
      } else if (!NodeCommand.isPlain(node)) {
        refusals.add(
            Refusal.lasting(
                "the name, host or id of node "
                    + name
                    + " has characters other than letters, digits and . _ : - [ ]: give it another"
                    + " node.name, or do this by hand"));
      }
    }
    return refusals;
  }

  /** What to say of nodes that do not answer. */
  static String describeSilentNodes(Set<String> names) {
    return "node "
        + String.join(", ", names)
        + " does not answer GET /_nodes, so its host, roles and attributes are not known: wait"
        + " until it does, or find out why";
  }

  /** The reasons not to have some nodes away that the copies of shards and the voters give. */
  private static List<Refusal> ofCopiesAndVoters(
      OperationKind kind, List<String> batch, ClusterLayout layout) {
    List<Refusal> refusals = new ArrayList<>();
    boolean moves =
        kind == OperationKind.MOVE_MANAGER
            || (kind.restarts() && batch.contains(layout.members().manager()));
    if (moves && layout.eligibleNodes() < MIN_ELIGIBLE) {
      refusals.add(
          Refusal.lasting(
              "the cluster has "
                  + layout.eligibleNodes()
                  + " nodes that may be manager (expected: 3 or more), so the manager can't move"
                  + " safely: add one"));
    }
    if (kind == OperationKind.MOVE_MANAGER) {
      return refusals;
    }
    refusals.addAll(ofLosses(kind, batch, layout));
    if (kind.restarts()) {
      for (String index : layout.writesBlockedWithout(new HashSet<>(batch))) {
        refusals.add(
            Refusal.lasting(
                "without "
                    + String.join(", ", batch)
                    + " writes to "
                    + index
                    + " wait for copies that are away: index.write.wait_for_active_shards is "
                    + layout.writeWaits().get(index)
                    + ": set it to 1, or add replicas"));
      }
    }
    return refusals;
  }

  /** The shards and the majority of voters that would be lost while some nodes are away. */
  static List<Refusal> ofLosses(OperationKind kind, List<String> batch, ClusterLayout layout) {
    List<Refusal> refusals = new ArrayList<>();
    Set<String> away = new HashSet<>(batch);
    Map<Boolean, List<Shard>> lost =
        layout.lostWithout(away).stream().collect(Collectors.partitioningBy(Shard::isSearchOnly));
    lost.forEach((isSearchOnly, shards) -> {
      if (!shards.isEmpty()) {
        refusals.add(ofLostShards(isSearchOnly, shards));
      }
    });
    if (kind.restarts() && !layout.members().keepsQuorumWithout(away)) {
      refusals.add(
          Refusal.lasting(
              "without "
                  + String.join(", ", batch)
                  + " no majority of the "
                  + layout.members().votingIds().size()
                  + " voting nodes is left: add nodes that may be manager"));
    }
    return refusals;
  }

  private static Refusal ofLostShards(boolean isSearchOnly, List<Shard> lost) {
    return Refusal.lasting(
        lost.size()
            + " shards have no started copy on another node, such as "
            + lost.getFirst()
            + (isSearchOnly
                ? ": raise index.number_of_search_replicas of their indices ("
                : ": give their indices a replica (")
            + String.join(", ", lost.stream().map(Shard::index).distinct().limit(EXAMPLES).toList())
            + ")");
  }

  private List<Refusal> ofCluster(OperationKind kind, ClusterLayout layout)
      throws OperationException, InterruptedException {
    JsonTree health = cluster.health();
    List<Refusal> refusals = new ArrayList<>(ofHealth(health));
    if (health.number("relocating_shards") > 0 || health.number("initializing_shards") > 0) {
      refusals.add(Refusal.ofTransient("shards are moving: wait until they have arrived"));
    }
    if (!kind.restarts()) {
      return refusals;
    }
    refusals.addAll(ofSnapshots(layout));
    Map<String, String> settings = cluster.settings();
    String allocation = ClusterSettings.effective(settings, ClusterSettings.ALLOCATION);
    if (!allocation.isEmpty() && !allocation.equalsIgnoreCase("all")) {
      refusals.add(
          Refusal.lasting(
              ClusterSettings.ALLOCATION
                  + " is "
                  + allocation
                  + ", so copies would not come back: set it to all"));
    }
    new DiskCheck(cluster).refusals().forEach(text -> refusals.add(Refusal.ofTransient(text)));
    return refusals;
  }

  private static List<Refusal> ofHealth(JsonTree health) {
    return ClusterApi.isGreen(health)
        ? List.of()
        : List.of(
            Refusal.ofTransient(
                "the cluster is "
                    + health.text("status")
                    + ": wait until it is green, or find out why by GET"
                    + " /_cluster/allocation/explain"));
  }

  private static List<Refusal> ofSnapshots(ClusterLayout layout) {
    return layout.snapshots().isEmpty()
        ? List.of()
        : List.of(
            Refusal.ofTransient(
                "the snapshot "
                    + String.join(", ", layout.snapshots())
                    + " runs, and would lack the shards of a node that leaves: wait until it has"
                    + " ended"));
  }

  private List<Refusal> ofGateways(List<List<String>> batches)
      throws OperationException, InterruptedException {
    List<Refusal> refusals = new ArrayList<>();
    List<String> first = batches.getFirst();
    for (RestTarget gateway : gateways.targets()) {
      List<NodeRow> rows;
      try {
        rows = gateways.nodes(gateway);
      } catch (IOException e) {
        refusals.add(
            Refusal.ofTransient(
                "the gateway at "
                    + gateway.base()
                    + " does not answer ("
                    + e
                    + "): name the admin ports of all gateways by --admin"));
        continue;
      }
      Set<String> known = new HashSet<>();
      for (NodeRow row : rows) {
        if (row.isInCluster()) {
          known.add(row.name());
        }
      }
      refusals.addAll(ofOthers(first, rows));
      batches.stream()
          .flatMap(List::stream)
          .filter(name -> !known.contains(name))
          .forEach(name ->
              refusals.add(
                  Refusal.ofTransient(
                      "the gateway at " + gateway.base() + " does not know node " + name)));
    }
    return refusals;
  }

  /** The nodes that a gateway sends requests though they were drained. */
  private static List<Refusal> ofRestored(List<String> names, List<NodeRow> rows) {
    return rows.stream()
        .filter(row -> names.contains(row.name()) && row.isInCluster() && row.weight() > 0)
        .map(row ->
            Refusal.lasting(
                "node "
                    + row.name()
                    + " gets requests again: drain it (POST /nodes/"
                    + row.name()
                    + "/drain)"))
        .toList();
  }

  /** The nodes besides a batch that a gateway sends less than their share. */
  private static List<Refusal> ofOthers(List<String> batch, List<NodeRow> rows) {
    return rows.stream()
        .filter(row -> !batch.contains(row.name()) && row.isInCluster() && row.weight() < 1)
        .map(row ->
            Refusal.ofTransient(
                "node "
                    + row.name()
                    + " is "
                    + row.state()
                    + ": take it back first (POST /nodes/"
                    + row.name()
                    + "/restore)"))
        .toList();
  }
}
