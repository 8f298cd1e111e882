package dev.weir.cluster;

/** What a look at one node's vitals says about the newest view. */
enum NodeLook {
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
  LEADERLESS;

  /**
   * Compares.
   *
   * @param uuid the followed cluster; empty before one is followed
   */
  static NodeLook at(Vitals vitals, ClusterView view, String uuid) {
    if (!vitals.joined()) {
      return NOT_JOINED;
    }
    if (!uuid.isEmpty() && !uuid.equals(vitals.clusterUuid())) {
      return FOREIGN;
    }
    Vitals known = Vitals.of(view.state());
    if (!known.joined()) {
      return NEWER;
    }
    int order = vitals.position().compareTo(known.position());
    if (order != 0) {
      return order < 0 ? BEHIND : NEWER;
    }
    return switch (vitals.manager()) {
      case NOT_ASKED -> SAME;
      case ELECTED -> known.manager() == Vitals.Manager.ELECTED ? SAME : NEWER;
      case NONE -> known.manager() == Vitals.Manager.NONE ? SAME : LEADERLESS;
    };
  }
}
