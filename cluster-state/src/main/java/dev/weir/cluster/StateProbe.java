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
 * @param clusterManager what the node knows of a cluster manager
 */
record StateProbe(
    String clusterName,
    String clusterUuid,
    StatePosition position,
    ClusterManagerState clusterManager) {
  /** What a node knows of an elected cluster manager. */
  enum ClusterManagerState {
    /** It follows one. */
    ELECTED,
    /** It knows of none. */
    NONE,
    /** It was not asked. */
    UNKNOWN
  }

  static StateProbe of(ClusterStateTermVersion answer) {
    return new StateProbe(
        answer.getClusterName().value(),
        answer.getClusterUUID(),
        new StatePosition(answer.getTerm(), answer.getVersion()),
        ClusterManagerState.UNKNOWN);
  }

  static StateProbe of(ClusterState state) {
    return new StateProbe(
        state.getClusterName().value(),
        state.metadata().clusterUUID(),
        StatePosition.of(state),
        state.nodes().getClusterManagerNodeId() == null
            ? ClusterManagerState.NONE
            : ClusterManagerState.ELECTED);
  }

  /** Whether the node is in a cluster at all. */
  boolean hasJoined() {
    return !clusterUuid.equals(Metadata.UNKNOWN_CLUSTER_UUID);
  }
}
