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
import org.jspecify.annotations.Nullable;

/**
 * The nodes and copies of shards of a cluster at one moment.
 *
 * @param nodes by name
 * @param members the same nodes as members that vote
 * @param shards all of them
 */
record ClusterLayout(Map<String, Node> nodes, ClusterMembers members, List<Shard> shards) {
  private static final String STATE =
      "/_cluster/state/cluster_manager_node,nodes,metadata,routing_table?filter_path="
          + "cluster_manager_node,nodes.*.name,nodes.*.ephemeral_id,metadata.cluster_coordination,"
          + "routing_table.indices.*.shards.*.state,routing_table.indices.*.shards.*.node";
  private static final String NODES =
      "/_nodes/_all/_none?filter_path=nodes.*.name,nodes.*.host,nodes.*.roles,nodes.*.attributes";

  /**
   * A node.
   *
   * @param ephemeralId changes with each start
   * @param host as the node itself calls it
   */
  record Node(
      String name,
      String id,
      String ephemeralId,
      String host,
      Set<String> roles,
      Map<String, String> attributes) {
    boolean holdsData() {
      return roles.contains("data");
    }

    boolean isManagerEligible() {
      return roles.contains("cluster_manager") || roles.contains("master");
    }
  }

  /**
   * A shard.
   *
   * @param holders names of the nodes of all its copies
   * @param started names of the nodes of its started copies
   */
  record Shard(String index, String number, Set<String> holders, Set<String> started) {
    @Override
    public String toString() {
      return index + "[" + number + "]";
    }
  }

  /** Reads it from the cluster manager. */
  static ClusterLayout read(ClusterApi cluster) throws OperationException, InterruptedException {
    JsonTree details = cluster.get(NODES).child("nodes");
    JsonTree state = cluster.get(STATE);
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
        nodes, ClusterMembers.of(state), shards(state.child("routing_table", "indices"), names));
  }

  private static List<Shard> shards(JsonTree indices, Map<String, String> names) {
    List<Shard> all = new ArrayList<>();
    for (String index : indices.members().keySet()) {
      JsonTree shards = indices.child(index, "shards");
      for (String number : shards.members().keySet()) {
        Set<String> holders = new HashSet<>();
        Set<String> started = new HashSet<>();
        for (JsonTree copy : shards.children(number)) {
          String node = names.getOrDefault(copy.text("node"), "");
          if (!node.isEmpty()) {
            holders.add(node);
            String copyState = copy.text("state");
            if (copyState.equals("STARTED") || copyState.equals("RELOCATING")) {
              started.add(node);
            }
          }
        }
        all.add(new Shard(index, number, holders, started));
      }
    }
    return all;
  }

  Node node(String name) {
    return Objects.requireNonNull(nodes.get(name), name);
  }

  @Nullable Node findNode(String name) {
    return nodes.get(name);
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
