package dev.weir.gateway.stats;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.weir.core.actions.explain.RecentRoutingDecisions;
import dev.weir.core.actions.explain.RoutingExplainer;
import dev.weir.gateway.cluster.ClusterConnection;
import dev.weir.model.HttpStatus;
import dev.weir.observe.admin.AdminResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Explains the selection of copies, or the rejection, of a recent request ({@code request}), lists
 * recent rejections ({@code rejections}), or ranks the copies of an index now ({@code index}). Safe
 * on any thread.
 */
final class ExplainPage {

  private final ClusterConnection cluster;
  private final List<ClusterConnection> otherClusters;

  /**
   * Creates the page of one cluster.
   *
   * @param otherClusters are searched, too, for a recent request
   */
  ExplainPage(ClusterConnection cluster, List<ClusterConnection> otherClusters) {
    this.cluster = cluster;
    this.otherClusters = List.copyOf(otherClusters);
  }

  AdminResponse show(Map<String, String> query) {
    String request = query.get("request");
    if (request != null) {
      return explainRequest(request);
    }
    String rejections = query.get("rejections");
    if (rejections != null) {
      return listRejections(rejections);
    }
    if (!query.containsKey("index")) {
      return AdminErrors.json(
          HttpStatus.BAD_REQUEST,
          "illegal_argument_exception",
          "got nothing to explain (expected: index=NAME, request=ID or rejections)");
    }
    try {
      return AdminResponse.json(
          200,
          new RoutingExplainer(cluster.nodes().follower()::current, cluster.selection().selector())
              .explain(query));
    } catch (IllegalArgumentException invalid) {
      return AdminErrors.json(
          HttpStatus.BAD_REQUEST,
          "illegal_argument_exception",
          String.valueOf(invalid.getMessage()));
    }
  }

  /** The newest rejections: as many as requested, or all that are kept. */
  private AdminResponse listRejections(String count) {
    RecentRoutingDecisions recent = cluster.selection().recentDecisions();
    int max = Integer.MAX_VALUE;
    if (!count.isEmpty()) {
      try {
        max = Integer.parseUnsignedInt(count);
      } catch (NumberFormatException e) {
        String reason = "rejections: got [" + count + "] (expected: how many to show, or nothing)";
        return AdminErrors.json(HttpStatus.BAD_REQUEST, "illegal_argument_exception", reason);
      }
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("recorded", recent.rejections().size());
    body.put("rejections", recent.recentRejections(max));
    return AdminResponse.json(200, body);
  }

  private AdminResponse explainRequest(String name) {
    RecentRoutingDecisions recent = cluster.selection().recentDecisions();
    Map<String, Object> found = find(recent, name);
    for (ClusterConnection other : otherClusters) {
      found = found == null ? find(other.selection().recentDecisions(), name) : found;
    }
    if (found != null) {
      return AdminResponse.json(200, found);
    }
    String expected =
        recent.size() == 0
            ? "none is kept: routing.explain.max-requests is 0"
            : "the X-Opaque-Id that a client sent, or the id of a line of the access log or in the"
                + " answer to a request with X-Weir-Explain: true, or X-Weir-Request-Id of an"
                + " answer 429 or 408; the newest "
                + recent.size()
                + " that chose among copies are kept, and a quarter as many that were rejections:"
                + " routing.explain.max-requests";
    return AdminErrors.json(
        HttpStatus.NOT_FOUND,
        "resource_not_found_exception",
        "request: got [" + name + "] (expected: " + expected + ")");
  }

  /** The gateway reads headers as ISO 8859-1, so a name may have to be encoded likewise. */
  private static @Nullable Map<String, Object> find(RecentRoutingDecisions recent, String name) {
    Map<String, Object> found = recent.find(name);
    return found == null
        ? recent.find(new String(name.getBytes(StandardCharsets.UTF_8), ISO_8859_1))
        : found;
  }
}
