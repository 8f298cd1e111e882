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
 * The gateway as the local, coordinating-only node of its own view. OpenSearch's classes then
 * resolve preferences such as {@code _local} and prefer copies with the gateway's awareness
 * attributes.
 *
 * @param node never a member of the cluster
 */
record GatewayNode(DiscoveryNode node) {
  /** A gateway without a configured name. */
  static final GatewayNode UNNAMED = of("weir", Map.of());

  /** Creates a gateway node with a name and attributes such as zone. */
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

  /** Returns the state with this node in place of its local node. */
  ClusterState replaceIn(ClusterState state) {
    return ClusterState.builder(state)
        .nodes(
            DiscoveryNodes.builder(state.nodes())
                .remove(state.nodes().getLocalNodeId())
                .add(node)
                .localNodeId(node.getId()))
        .build();
  }

  /** Returns the state with the gateway as its local node; the same state if it has one. */
  ClusterState addTo(ClusterState state) {
    if (state.nodes().getLocalNode() != null) {
      return state;
    }
    return ClusterState.builder(state)
        .nodes(DiscoveryNodes.builder(state.nodes()).add(node).localNodeId(node.getId()))
        .build();
  }
}
