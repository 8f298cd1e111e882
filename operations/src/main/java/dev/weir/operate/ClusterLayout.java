package dev.weir.operate;

import dev.weir.client.JsonTree;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and copies of shards of a cluster at one moment.
 *
 * @param nodes by name
 * @param members the same nodes as members that vote
 * @param shards all of them
 * @param writeWaits copies that writes wait for, a number or {@code all}, by the names of the
 *     indices that set it
 * @param snapshots names of those that run
 */
record ClusterLayout(
    Map<String, Node> nodes,
    ClusterMembers members,
    List<Shard> shards,
    Map<String, String> writeWaits,
    List<String> snapshots) {
  private static final String STATE =
      "/_cluster/state/cluster_manager_node,nodes,metadata,routing_table,customs?filter_path="
          + "cluster_manager_node,nodes.*.name,nodes.*.ephemeral_id,metadata.cluster_coordination,"
          + "metadata.indices.*.settings.index.write.wait_for_active_shards,"
          + "routing_table.indices.*.shards.*.state,routing_table.indices.*.shards.*.node,"
          + "routing_table.indices.*.shards.*.searchOnly,snapshots.snapshots.snapshot";
  private static final String NODES =
      "/_nodes/_all/_none?timeout=10s&filter_path="
          + "nodes.*.name,nodes.*.host,nodes.*.roles,nodes.*.attributes";

  /**
   * A node.
   *
   * @param ephemeralId changes with each start
   * @param host as the node itself calls it; empty for a node that does not tell
   */
  record Node(
      String name,
      String id,
      String ephemeralId,
      String host,
      Set<String> roles,
      Map<String, String> attributes) {
    /** Whether the node has told its host, roles and attributes. */
    boolean isDescribed() {
      return !host.isEmpty();
    }

    boolean holdsData() {
      return roles.contains("data");
    }

    boolean isManagerEligible() {
      return roles.contains("cluster_manager") || roles.contains("master");
    }
  }

  /**
   * The copies of a shard, of one kind: a search-only copy can't become the primary, and on a
   * cluster that has them searches go to no other copy.
   *
   * @param holders names of the nodes of all of them
   * @param started names of the nodes of those that have started
   */
  record Shard(
      String index, String number, boolean isSearchOnly, Set<String> holders, Set<String> started) {
    @Override
    public String toString() {
      return index + "[" + number + "]" + (isSearchOnly ? " (search-only)" : "");
    }
  }

  /** Reads it from the cluster manager. */
  static ClusterLayout read(ClusterApi cluster) throws OperationException, InterruptedException {
    JsonTree state = cluster.get(STATE);
    return of(state, cluster.get(NODES));
  }

  /** Takes it from responses of {@code GET /_cluster/state} and of {@code GET /_nodes}. */
  static ClusterLayout of(JsonTree state, JsonTree info) {
    JsonTree details = info.child("nodes");
    Map<String, String> names = new LinkedHashMap<>();
    Map<String, Node> nodes = new LinkedHashMap<>();
    JsonTree known = state.child("nodes");
    for (String id : known.members().keySet()) {
      String name = known.text(id, "name");
      JsonTree more = details.child(id);
      Map<String, String> attributes = new LinkedHashMap<>();
      more.child("attributes")
          .members()
          .forEach((key, value) -> attributes.put(key, value.toString()));
      names.put(id, name);
      nodes.put(
          name,
          new Node(
              name,
              id,
              known.text(id, "ephemeral_id"),
              more.text("host"),
              Set.copyOf(more.texts("roles")),
              attributes));
    }
    return new ClusterLayout(
        nodes,
        ClusterMembers.of(state),
        shards(state.child("routing_table", "indices"), names),
        writeWaits(state.child("metadata", "indices")),
        state.children("snapshots", "snapshots").stream()
            .map(snapshot -> snapshot.text("snapshot"))
            .toList());
  }

  private static Map<String, String> writeWaits(JsonTree indices) {
    Map<String, String> waits = new LinkedHashMap<>();
    indices.forEachMember((index, metadata) -> {
      String wait = metadata.text("settings", "index", "write", "wait_for_active_shards");
      if (!wait.isEmpty()) {
        waits.put(index, wait);
      }
    });
    return waits;
  }

  private static List<Shard> shards(JsonTree indices, Map<String, String> names) {
    List<Shard> all = new ArrayList<>();
    for (String index : indices.members().keySet()) {
      JsonTree shards = indices.child(index, "shards");
      for (String number : shards.members().keySet()) {
        Map<Boolean, List<JsonTree>> kinds =
            shards.children(number).stream()
                .collect(Collectors.groupingBy(copy -> copy.isTrue("searchOnly")));
        kinds.forEach(
            (isSearchOnly, copies) -> all.add(shard(index, number, isSearchOnly, copies, names)));
      }
    }
    return all;
  }

  private static Shard shard(
      String index,
      String number,
      boolean isSearchOnly,
      List<JsonTree> copies,
      Map<String, String> names) {
    Set<String> holders = new HashSet<>();
    Set<String> started = new HashSet<>();
    for (JsonTree copy : copies) {
      String node = names.getOrDefault(copy.text("node"), "");
      if (!node.isEmpty()) {
        holders.add(node);
        String copyState = copy.text("state");
        if (copyState.equals("STARTED") || copyState.equals("RELOCATING")) {
          started.add(node);
        }
      }
    }
    return new Shard(index, number, isSearchOnly, holders, started);
  }

  Node node(String name) {
    return Objects.requireNonNull(nodes.get(name), name);
  }

  @Nullable Node findNode(String name) {
    return nodes.get(name);
  }

  /** The nodes of the cluster that do not tell their hosts, roles and attributes. */
  Set<String> silentNodes() {
    Set<String> names = new TreeSet<>();
    nodes.values().stream()
        .filter(node -> !node.isDescribed())
        .forEach(node -> names.add(node.name()));
    return names;
  }

  Set<String> dataNodes() {
    Set<String> names = new TreeSet<>();
    nodes.values().stream().filter(Node::holdsData).forEach(node -> names.add(node.name()));
    return names;
  }

  long eligibleNodes() {
    return nodes.values().stream().filter(Node::isManagerEligible).count();
  }

  /** The shards that would have no started copy while some nodes are away. */
  List<Shard> lostWithout(Set<String> away) {
    return shards.stream()
        .filter(shard -> shard.holders().stream().anyMatch(away::contains))
        .filter(shard -> away.containsAll(shard.started()))
        .toList();
  }

  /** The indices whose writes wait for more copies than are left while some nodes are away. */
  Set<String> writesBlockedWithout(Set<String> away) {
    Set<String> blocked = new TreeSet<>();
    for (Shard shard : shards) {
      String wait = writeWaits.getOrDefault(shard.index(), "");
      if (!wait.isEmpty()
          && !shard.isSearchOnly()
          && shard.holders().stream().anyMatch(away::contains)) {
        long left = shard.started().stream().filter(name -> !away.contains(name)).count();
        if (wait.equals("all") || left < new JsonTree(wait).toLong(0)) {
          blocked.add(shard.index());
        }
      }
    }
    return blocked;
  }

  /** The indices with copies on some nodes. */
  Set<String> indicesOn(Set<String> names) {
    Set<String> indices = new TreeSet<>();
    for (Shard shard : shards) {
      if (shard.holders().stream().anyMatch(names::contains)) {
        indices.add(shard.index());
      }
    }
    return indices;
  }
}
