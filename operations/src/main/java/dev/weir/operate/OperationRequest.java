package dev.weir.operate;

import java.util.List;
import java.util.Set;

/**
 * What an operator asks for.
 *
 * @param kind what to do
 * @param nodes names; empty for all data nodes, or for the elected manager
 * @param zoneAttribute of nodes that restart together; empty to restart one by one
 * @param maxUnavailable nodes of a zone that may be away at once; 0 for a third of the data nodes
 * @param options how it proceeds
 */
public record OperationRequest(
    OperationKind kind,
    List<String> nodes,
    String zoneAttribute,
    int maxUnavailable,
    OperationOptions options) {
  private static final int PARTS = 3;

  /**
   * Copies the names.
   *
   * @throws IllegalArgumentException if a node is named twice, or the bound of nodes is negative,
   *     or of no use
   */
  public OperationRequest {
    nodes = List.copyOf(nodes);
    for (int i = 0; i < nodes.size(); i++) {
      if (nodes.subList(0, i).contains(nodes.get(i))) {
        throw new IllegalArgumentException(
            "got node " + nodes.get(i) + " twice (expected: each node once)");
      }
    }
    if (maxUnavailable < 0) {
      throw new IllegalArgumentException(
          "got " + maxUnavailable + " nodes that may be away at once (expected: 1 or more)");
    }
    if (maxUnavailable > 0 && zoneAttribute.isEmpty()) {
      throw new IllegalArgumentException(
          "got a number of nodes that may be away at once (--max-unavailable) without --by-zone:"
              + " nodes go one by one then");
    }
  }

  /** A request that names its nodes. */
  public static OperationRequest of(
      OperationKind kind, List<String> nodes, OperationOptions options) {
    return new OperationRequest(kind, nodes, "", 0, options);
  }

  List<List<String>> batches(ClusterLayout layout) throws OperationException {
    for (String name : nodes) {
      if (layout.findNode(name) == null) {
        throw new OperationException(
            "node "
                + name
                + " is not in the cluster (expected: one of "
                + String.join(", ", layout.nodes().keySet())
                + ")");
      }
    }
    if (kind == OperationKind.MOVE_MANAGER) {
      if (layout.members().manager().isEmpty()) {
        throw new OperationException("the cluster has no manager now: wait until it has one");
      }
      return List.of(List.of(layout.members().manager()));
    }
    Set<String> silent = layout.silentNodes();
    if (!silent.isEmpty() && (nodes.isEmpty() || !zoneAttribute.isEmpty())) {
      throw new OperationException(SafetyCheck.describeSilentNodes(silent));
    }
    List<String> names = nodes.isEmpty() ? List.copyOf(layout.dataNodes()) : nodes;
    if (zoneAttribute.isEmpty()) {
      return RestartPlanner.oneByOne(layout, names);
    }
    int bound =
        maxUnavailable > 0
            ? maxUnavailable
            : Math.max(1, (layout.dataNodes().size() + PARTS - 1) / PARTS);
    return RestartPlanner.byZone(layout, names, zoneAttribute, bound);
  }
}
