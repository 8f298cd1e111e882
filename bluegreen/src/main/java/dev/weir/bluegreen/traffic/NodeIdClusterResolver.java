package dev.weir.bluegreen.traffic;

import dev.weir.model.IndexExpressionParser;
import dev.weir.routing.traffic.NodeIdFinder;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Finds the cluster of a scroll, a point in time or a task by the node ids inside its id. This
 * works on every gateway that knows the clusters' nodes, without any stored state.
 *
 * @param clusters searched in this order
 */
record NodeIdClusterResolver(List<? extends UpstreamCluster> clusters) {
  private static final String NODES = "/_nodes/";

  /** The number of ids of a cluster in an error message; ids are long. */
  private static final int MAX_SHOWN_IDS = 5;

  /** The cluster with a node that the path or the query names; null if there is none. */
  @Nullable UpstreamCluster resolveUri(String sent) {
    if (sent.startsWith(NODES)) {
      String uri = IndexExpressionParser.decode(sent);
      int end = NODES.length();
      while (end < uri.length() && "/?,".indexOf(uri.charAt(end)) < 0) {
        end++;
      }
      return clusterOf(uri.substring(NODES.length(), end));
    }
    return sent.startsWith("/_") || sent.indexOf('?') >= 0
        ? resolve(IndexExpressionParser.decode(sent))
        : null;
  }

  /** The cluster with a node that a text names; null if there is none. */
  @Nullable UpstreamCluster resolve(CharSequence text) {
    return NodeIdFinder.<@Nullable UpstreamCluster>findOwner(text, this::clusterOf);
  }

  /**
   * Why one cluster can't free everything that the body, or without a body the path or query,
   * names; null if it can, or if the request frees nothing.
   *
   * @param body null if absent
   */
  @Nullable String unreleasableReason(String method, String uri, @Nullable CharSequence body) {
    if (!method.equals("DELETE")
        || !(uri.startsWith("/_search/scroll") || uri.startsWith("/_search/point_in_time"))) {
      return null;
    }
    CharSequence text = body == null ? IndexExpressionParser.decode(uri) : body;
    Map<UpstreamCluster, List<String>> all =
        NodeIdFinder.<UpstreamCluster>findOwners(text, this::clusterOf);
    if (all.size() < 2) {
      return null;
    }
    StringJoiner reason = new StringJoiner("; ", "got ids that several clusters made: ", "");
    all.forEach((cluster, ids) -> {
      String more =
          ids.size() > MAX_SHOWN_IDS ? " and " + (ids.size() - MAX_SHOWN_IDS) + " more" : "";
      reason.add(cluster.name() + " " + ids.subList(0, Math.min(MAX_SHOWN_IDS, ids.size())) + more);
    });
    return reason + " (expected: one cluster's, in a request for each)";
  }

  private @Nullable UpstreamCluster clusterOf(String nodeId) {
    for (UpstreamCluster cluster : clusters) {
      if (cluster.hasNode(nodeId)) {
        return cluster;
      }
    }
    return null;
  }
}
