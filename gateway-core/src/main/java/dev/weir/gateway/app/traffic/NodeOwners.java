package dev.weir.gateway.app.traffic;

import dev.weir.routing.traffic.NodeIdsIn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells whose a scroll, a point in time or a task is by the ids of nodes in its id: any gateway can
 * that knows the clusters' nodes, and nothing is kept for it.
 *
 * @param clusters where nodes are looked for, in this order
 */
record NodeOwners(List<? extends Cluster> clusters) {
  private static final String NODES = "/_nodes/";

  /** The cluster whose node the path or the query names; null for none. */
  @Nullable Cluster ofUri(String uri) {
    if (uri.startsWith(NODES)) {
      int end = NODES.length();
      while (end < uri.length() && "/?,".indexOf(uri.charAt(end)) < 0) {
        end++;
      }
      return owner(uri.substring(NODES.length(), end));
    }
    return uri.startsWith("/_") || uri.indexOf('?') >= 0 ? of(uri) : null;
  }

  /** The cluster whose node a text names; null for none. */
  @Nullable Cluster of(CharSequence text) {
    return NodeIdsIn.<@Nullable Cluster>owner(text, this::owner);
  }

  private @Nullable Cluster owner(String nodeId) {
    for (Cluster cluster : clusters) {
      if (cluster.has(nodeId)) {
        return cluster;
      }
    }
    return null;
  }
}
