package dev.weir.cluster;

/** What a look at one node's vitals says about the newest view. */
enum NodeInspector {
  /** The node has not joined a cluster: it knows nothing. */
  NOT_JOINED,
  /** The node is in another cluster than the one followed. */
  FOREIGN,
  /** The node's state is older than the view: it is cut off, or slow. */
  BEHIND,
  /** The view is what the node has. */
  SAME,
  /** The node's state is newer than the view. */
  NEWER,
  /** The same state, but the node has lost its cluster manager. */
  NO_CLUSTER_MANAGER;

  /**
   * Compares.
   *
   * @param uuid the followed cluster; empty before one is followed
   */
  static NodeInspector compare(StateProbe vitals, ClusterView view, String uuid) {
    if (!vitals.hasJoined()) {
      return NOT_JOINED;
    }
    if (!uuid.isEmpty() && !uuid.equals(vitals.clusterUuid())) {
      return FOREIGN;
    }
    StateProbe known = StateProbe.of(view.state());
    if (!known.hasJoined()) {
      return NEWER;
    }
    int order = vitals.position().compareTo(known.position());
    if (order != 0) {
      return order < 0 ? BEHIND : NEWER;
    }
    return switch (vitals.clusterManager()) {
      case UNKNOWN -> SAME;
      case ELECTED ->
          known.clusterManager() == StateProbe.ClusterManagerState.ELECTED ? SAME : NEWER;
      case NONE ->
          known.clusterManager() == StateProbe.ClusterManagerState.NONE ? SAME : NO_CLUSTER_MANAGER;
    };
  }
}
