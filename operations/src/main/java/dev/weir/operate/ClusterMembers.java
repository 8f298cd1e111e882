package dev.weir.operate;

import dev.weir.client.JsonTree;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The nodes of a cluster and its elected manager at one moment. Unlike {@link ClusterLayout} it has
 * nothing of indices, so its size does not depend on their number: it is what waits poll.
 *
 * @param nodes by name
 * @param manager the name of the elected cluster manager; empty for none
 * @param votingIds the ids of the nodes whose majority elects a manager
 * @param hasExclusions whether nodes are excluded from voting
 */
record ClusterMembers(
    Map<String, Member> nodes, String manager, Set<String> votingIds, boolean hasExclusions) {
  /** The name of indices matches none, so no index is written. */
  private static final String STATE =
      "/_cluster/state/cluster_manager_node,nodes,metadata/weir-operations-none-*"
          + "?ignore_unavailable=true&filter_path=cluster_manager_node,nodes.*.name"
          + ",nodes.*.ephemeral_id,metadata.cluster_coordination";

  /**
   * A node.
   *
   * @param ephemeralId changes with each start
   */
  record Member(String id, String ephemeralId) {}

  /** Reads it from the cluster manager. */
  static ClusterMembers read(ClusterApi cluster) throws OperationException, InterruptedException {
    return of(cluster.get(STATE));
  }

  /** Takes it from a response of {@code GET /_cluster/state}. */
  static ClusterMembers of(JsonTree state) {
    Map<String, Member> nodes = new LinkedHashMap<>();
    JsonTree known = state.child("nodes");
    for (String id : known.members().keySet()) {
      nodes.put(known.text(id, "name"), new Member(id, known.text(id, "ephemeral_id")));
    }
    JsonTree coordination = state.child("metadata", "cluster_coordination");
    return new ClusterMembers(
        nodes,
        known.text(state.text("cluster_manager_node"), "name"),
        Set.copyOf(coordination.texts("last_committed_config")),
        !coordination.items("voting_config_exclusions").isEmpty());
  }

  /** Whether a node has left, or has another ephemeral id than this one. */
  boolean hasRestarted(String name, String ephemeralId) {
    Member now = nodes.get(name);
    return now == null || !now.ephemeralId().equals(ephemeralId);
  }

  /** Whether a manager can be elected while some nodes are away. */
  boolean keepsQuorumWithout(Set<String> away) {
    long voters =
        nodes.entrySet().stream()
            .filter(node -> votingIds.contains(node.getValue().id()))
            .filter(node -> !away.contains(node.getKey()))
            .count();
    return voters * 2 > votingIds.size();
  }
}
