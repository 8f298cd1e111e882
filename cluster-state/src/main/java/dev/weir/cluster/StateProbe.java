package dev.weir.cluster;

import org.opensearch.cluster.ClusterState;
import org.opensearch.cluster.coordination.ClusterStateTermVersion;
import org.opensearch.cluster.metadata.Metadata;

/**
 * The few fields that show whether a state changed.
 *
 * @param clusterName the cluster's name
 * @param clusterUuid the cluster's id; {@code _na_} on a node that has not joined one
 * @param position the position of its state
 * @param clusterManager whether the node has a cluster manager
 */
record StateProbe(
    String clusterName,
    String clusterUuid,
    StatePosition position,
    ClusterManagerState clusterManager) {
  /** Whether a node has an elected cluster manager. */
  enum ClusterManagerState {
    /** It has one. */
    ELECTED,
    /** It has none. */
    NONE,
    /** The probe did not ask for it. */
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

  /** Returns whether the node has joined a cluster. */
  boolean hasJoined() {
    return !clusterUuid.equals(Metadata.UNKNOWN_CLUSTER_UUID);
  }
}
