package dev.weir.cluster;

import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.coordination.ClusterStateTermVersion;
import org.opensearch.cluster.metadata.Metadata;

/**
 * The little that tells whether a state changed.
 *
 * @param clusterName the cluster's name
 * @param clusterUuid the cluster's id; {@code _na_} on a node that has not joined one
 * @param position where its state is
 * @param manager what the node knows of a cluster manager
 */
record Vitals(String clusterName, String clusterUuid, Position position, Manager manager) {
  /** What a node knows of an elected cluster manager. */
  enum Manager {
    /** It follows one. */
    ELECTED,
    /** It knows of none. */
    NONE,
    /** It was not asked. */
    NOT_ASKED
  }

  static Vitals of(ClusterStateTermVersion answer) {
    return new Vitals(
        answer.getClusterName().value(),
        answer.getClusterUUID(),
        new Position(answer.getTerm(), answer.getVersion()),
        Manager.NOT_ASKED);
  }

  static Vitals of(ClusterState state) {
    return new Vitals(
        state.getClusterName().value(),
        state.metadata().clusterUUID(),
        Position.of(state),
        state.nodes().getClusterManagerNodeId() == null ? Manager.NONE : Manager.ELECTED);
  }

  /** Whether the node is in a cluster at all. */
  boolean joined() {
    return !clusterUuid.equals(Metadata.UNKNOWN_CLUSTER_UUID);
  }
}
