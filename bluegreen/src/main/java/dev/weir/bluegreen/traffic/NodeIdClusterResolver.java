package dev.weir.bluegreen.traffic;

import dev.weir.model.IndexExpressionParser;
import dev.weir.routing.traffic.NodeIdFinder;
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
record NodeIdClusterResolver(List<? extends UpstreamCluster> clusters) {
  private static final String NODES = "/_nodes/";

  /** Ids of a cluster that are told; they are long. */
  private static final int MAX_SHOWN_IDS = 5;

  /** The cluster whose node the path or the query names; null for none. */
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

  /** The cluster whose node a text names; null for none. */
  @Nullable UpstreamCluster resolve(CharSequence text) {
    return NodeIdFinder.<@Nullable UpstreamCluster>findOwner(text, this::clusterOf);
  }

  /**
   * Why one cluster can't free all that a body names, or where there is none the path or the query;
   * null when one can, or nothing is freed.
   *
   * @param body null for none
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
    StringJoiner told = new StringJoiner("; ", "got ids that several clusters made: ", "");
    all.forEach((cluster, ids) -> {
      String more =
          ids.size() > MAX_SHOWN_IDS ? " and " + (ids.size() - MAX_SHOWN_IDS) + " more" : "";
      told.add(cluster.name() + " " + ids.subList(0, Math.min(MAX_SHOWN_IDS, ids.size())) + more);
    });
    return told + " (expected: one cluster's, in a request for each)";
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
