package dev.weir.cluster;

/** The result of comparing one node's state with the newest view. */
enum StateComparison {
  /** The node has not joined a cluster, so it has no state. */
  NOT_JOINED,
  /** The node belongs to another cluster than the followed one. */
  FOREIGN,
  /**
   * The node's state is older than the view: the node is disconnected from the cluster manager, or
   * slow, or the cluster was set back.
   */
  BEHIND,
  /** The node has the state of the view. */
  SAME,
  /** The node's state is newer than the view. */
  NEWER,
  /** The same state, but the node has lost its cluster manager. */
  NO_CLUSTER_MANAGER;

  /**
   * Compares a probe with a view.
   *
   * @param uuid the followed cluster; empty before one is followed
   */
  static StateComparison compare(StateProbe probe, ClusterView view, String uuid) {
    if (!probe.hasJoined()) {
      return NOT_JOINED;
    }
    if (!uuid.isEmpty() && !uuid.equals(probe.clusterUuid())) {
      return FOREIGN;
    }
    StateProbe known = StateProbe.of(view.state());
    if (!known.hasJoined()) {
      return NEWER;
    }
    int order = probe.position().compareTo(known.position());
    if (order != 0) {
      return order < 0 ? BEHIND : NEWER;
    }
    return switch (probe.clusterManager()) {
      case UNKNOWN -> SAME;
      case ELECTED ->
          known.clusterManager() == StateProbe.ClusterManagerState.ELECTED ? SAME : NEWER;
      case NONE ->
          known.clusterManager() == StateProbe.ClusterManagerState.NONE ? SAME : NO_CLUSTER_MANAGER;
    };
  }
}
