package dev.weir.cluster;

import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import org.opensearch.Version;
import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.node.DiscoveryNode;
import org.opensearch.cluster.node.DiscoveryNodes;
import org.opensearch.core.common.transport.TransportAddress;

/**
 * The gateway as a node of its own view: a coordinating-only node, as which it treats preferences
 * such as {@code _local} and prefers copies whose awareness attributes are its own.
 *
 * @param node never a member of the cluster
 */
record GatewayNode(DiscoveryNode node) {
  /** A gateway that said nothing about itself. */
  static final GatewayNode UNNAMED = of("weir", Map.of());

  /** A gateway with a name and attributes such as zone. */
  static GatewayNode of(String name, Map<String, String> attributes) {
    return new GatewayNode(
        new DiscoveryNode(
            name,
            "_weir_" + name,
            new TransportAddress(InetAddress.getLoopbackAddress(), 0),
            attributes,
            Set.of(),
            Version.CURRENT));
  }

  /** A state that has another as its local node, with this one instead. */
  ClusterState replaceIn(ClusterState state) {
    return ClusterState.builder(state)
        .nodes(
            DiscoveryNodes.builder(state.nodes())
                .remove(state.nodes().getLocalNodeId())
                .add(node)
                .localNodeId(node.getId()))
        .build();
  }

  /** The state with the gateway as its local node; the same state when it has one. */
  ClusterState addTo(ClusterState state) {
    if (state.nodes().getLocalNode() != null) {
      return state;
    }
    return ClusterState.builder(state)
        .nodes(DiscoveryNodes.builder(state.nodes()).add(node).localNodeId(node.getId()))
        .build();
  }
}
