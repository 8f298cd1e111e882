package dev.weir.bluegreen.traffic;

import dev.weir.model.IndexExpression;
import dev.weir.routing.traffic.NodeIdsIn;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Tells whose a scroll, a point in time or a task is by the ids of nodes in its id: any gateway can
 * that knows the clusters' nodes, and nothing is kept for it.
 *
 * @param clusters where nodes are looked for, in this order
 */
record NodeOwners(List<? extends Cluster> clusters) {
  private static final String NODES = "/_nodes/";

  /** Ids of a cluster that are told; they are long. */
  private static final int TOLD = 5;

  /** The cluster whose node the path or the query names; null for none. */
  @Nullable Cluster ofUri(String sent) {
    if (sent.startsWith(NODES)) {
      String uri = IndexExpression.decoded(sent);
      int end = NODES.length();
      while (end < uri.length() && "/?,".indexOf(uri.charAt(end)) < 0) {
        end++;
      }
      return owner(uri.substring(NODES.length(), end));
    }
    return sent.startsWith("/_") || sent.indexOf('?') >= 0
        ? of(IndexExpression.decoded(sent))
        : null;
  }

  /** The cluster whose node a text names; null for none. */
  @Nullable Cluster of(CharSequence text) {
    return NodeIdsIn.<@Nullable Cluster>owner(text, this::owner);
  }

  /**
   * Why one cluster can't free all that a body names, or where there is none the path or the query;
   * null when one can, or nothing is freed.
   *
   * @param body null for none
   */
  @Nullable String unfreeable(String method, String uri, @Nullable CharSequence body) {
    if (!method.equals("DELETE")
        || !(uri.startsWith("/_search/scroll") || uri.startsWith("/_search/point_in_time"))) {
      return null;
    }
    CharSequence text = body == null ? IndexExpression.decoded(uri) : body;
    Map<Cluster, List<String>> all = NodeIdsIn.<Cluster>owners(text, this::owner);
    if (all.size() < 2) {
      return null;
    }
    StringJoiner told = new StringJoiner("; ", "got ids that several clusters made: ", "");
    all.forEach((cluster, ids) -> {
      String more = ids.size() > TOLD ? " and " + (ids.size() - TOLD) + " more" : "";
      told.add(cluster.name() + " " + ids.subList(0, Math.min(TOLD, ids.size())) + more);
    });
    return told + " (expected: one cluster's, in a request for each)";
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
