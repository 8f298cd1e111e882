package dev.weir.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.weir.core.actions.RoutingExplainer;
import dev.weir.core.actions.explain.RecentChoices;
import dev.weir.observe.admin.AdminReply;
import dev.weir.http.ErrorBody;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says why a recent request's copies were chosen, or why it was refused ({@code request}), which
 * were refused lately ({@code refused}), or which copies would be chosen now ({@code index}). Safe
 * on any thread.
 */
final class ExplainPage {
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  private final Backend backend;
  private final List<Backend> others;

  /**
   * Makes one.
   *
   * @param backend the one that is explained
   * @param others where requests are looked for besides
   */
  ExplainPage(Backend backend, List<Backend> others) {
    this.backend = backend;
    this.others = List.copyOf(others);
  }

  AdminReply show(Map<String, String> query) {
    String request = query.get("request");
    if (request != null) {
      return ofRequest(request);
    }
    String refused = query.get("refused");
    if (refused != null) {
      return refused(refused);
    }
    if (!query.containsKey("index")) {
      return error(
          BAD_REQUEST,
          "illegal_argument_exception",
          "got nothing to explain (expected: index=NAME, request=ID or refused)");
    }
    try {
      return AdminReply.json(
          200,
          new RoutingExplainer(backend.follower()::current, backend.selector()).explain(query));
    } catch (IllegalArgumentException unclear) {
      return error(BAD_REQUEST, "illegal_argument_exception", String.valueOf(unclear.getMessage()));
    }
  }

  /** The newest refusals: so many, or all that are kept. */
  private AdminReply refused(String count) {
    RecentChoices recent = backend.recent();
    int most = Integer.MAX_VALUE;
    if (!count.isEmpty()) {
      try {
        most = Integer.parseUnsignedInt(count);
      } catch (NumberFormatException e) {
        String reason = "refused: got [" + count + "] (expected: how many to show, or nothing)";
        return error(BAD_REQUEST, "illegal_argument_exception", reason);
      }
    }
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("kept", recent.refusals().kept());
    body.put("refused", recent.refused(most));
    return AdminReply.json(200, body);
  }

  private AdminReply ofRequest(String name) {
    RecentChoices recent = backend.recent();
    Map<String, Object> found = find(recent, name);
    for (Backend other : others) {
      found = found == null ? find(other.recent(), name) : found;
    }
    if (found != null) {
      return AdminReply.json(200, found);
    }
    String how =
        recent.size() == 0
            ? "none is kept: routing.explain.requests is 0"
            : "the X-Opaque-Id that a client sent, or the id of a line of the access log or in the"
                + " answer to a request with X-Weir-Explain: true, or X-Weir-Request of an answer"
                + " 429 or 408; the newest "
                + recent.size()
                + " that chose among copies are kept, and a quarter as many that were refused:"
                + " routing.explain.requests";
    return error(
        NOT_FOUND,
        "resource_not_found_exception",
        "request: got [" + name + "] (expected: " + how + ")");
  }

  /** Headers are read a character a byte. */
  private static @Nullable Map<String, Object> find(RecentChoices recent, String name) {
    Map<String, Object> found = recent.find(name);
    return found == null
        ? recent.find(new String(name.getBytes(StandardCharsets.UTF_8), ISO_8859_1))
        : found;
  }

  /** An error as OpenSearch writes it. */
  static AdminReply error(int status, String type, String reason) {
    ErrorBody body = new ErrorBody(status, type, reason);
    return AdminReply.json(status, StandardCharsets.UTF_8.decode(body.bytes(true)).toString());
  }
}
