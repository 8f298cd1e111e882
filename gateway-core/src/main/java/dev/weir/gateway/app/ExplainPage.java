package dev.weir.gateway.app;

import dev.weir.gateway.actions.RoutingExplainer;
import dev.weir.gateway.actions.explain.RecentChoices;
import dev.weir.gateway.app.admin.AdminReply;
import dev.weir.gateway.http.ErrorBody;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Says why a recent request's copies were chosen ({@code request}), or which would be chosen now
 * ({@code index}). Safe on any thread.
 */
final class ExplainPage {
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  private final Backend backend;

  ExplainPage(Backend backend) {
    this.backend = backend;
  }

  AdminReply show(Map<String, String> query) {
    String request = query.get("request");
    if (request != null) {
      return ofRequest(request);
    }
    try {
      return AdminReply.json(
          200,
          new RoutingExplainer(backend.follower()::current, backend.selector()).explain(query));
    } catch (IllegalArgumentException unclear) {
      return error(BAD_REQUEST, "illegal_argument_exception", String.valueOf(unclear.getMessage()));
    }
  }

  private AdminReply ofRequest(String name) {
    RecentChoices recent = backend.recent();
    Map<String, Object> found = recent.find(name);
    if (found != null) {
      return AdminReply.json(200, found);
    }
    String how =
        recent.size() == 0
            ? "none is kept: routing.explain.requests is 0"
            : "the X-Opaque-Id that a client sent, or the id of a line of the access log or in the"
                + " answer to a request with X-Weir-Explain: true; the newest "
                + recent.size()
                + " that chose among copies are kept: routing.explain.requests";
    return error(
        NOT_FOUND,
        "resource_not_found_exception",
        "request: got [" + name + "] (expected: " + how + ")");
  }

  /** An error as OpenSearch writes it. */
  private static AdminReply error(int status, String type, String reason) {
    ErrorBody body = new ErrorBody(status, type, reason);
    return AdminReply.json(status, StandardCharsets.UTF_8.decode(body.bytes(true)).toString());
  }
}
