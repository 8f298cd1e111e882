package dev.weir.admission.head;

import dev.weir.config.policy.PacingPolicy.Action;
import java.util.Map;
import java.util.regex.Pattern;

/** Classifies requests by their method and the first endpoint in their path. */
public final class ActionClassifier {
  private static final Map<String, Action> BY_ENDPOINT =
      Map.ofEntries(
          Map.entry("_search", Action.SEARCH),
          Map.entry("_msearch", Action.SEARCH),
          Map.entry("_weir", Action.SEARCH),
          Map.entry("_count", Action.SEARCH),
          Map.entry("_explain", Action.SEARCH),
          Map.entry("_field_caps", Action.SEARCH),
          Map.entry("_rank_eval", Action.SEARCH),
          Map.entry("_validate", Action.SEARCH),
          Map.entry("_async_search", Action.SEARCH),
          Map.entry("_asynchronous_search", Action.SEARCH),
          Map.entry("_sql", Action.SEARCH),
          Map.entry("_ppl", Action.SEARCH),
          Map.entry("_mget", Action.GET),
          Map.entry("_source", Action.GET),
          Map.entry("_termvectors", Action.GET),
          Map.entry("_mtermvectors", Action.GET),
          Map.entry("_bulk", Action.BULK),
          Map.entry("_create", Action.WRITE),
          Map.entry("_update", Action.WRITE),
          Map.entry("_update_by_query", Action.WRITE),
          Map.entry("_delete_by_query", Action.WRITE),
          Map.entry("_reindex", Action.WRITE));

  private static final String SQL = "/_sql";

  /** A page of a scroll. */
  private static final Pattern SCROLL_PAGE = Pattern.compile(".*/_search/+scroll(?:/.*)?");

  private ActionClassifier() {}

  /**
   * Classifies a request.
   *
   * @param method in upper case
   * @param uri path and query as sent; a percent-encoded endpoint is not recognized
   */
  public static Action classify(String method, String uri) {
    int end = end(uri);
    int from = 0;
    int segments = 0;
    while (from < end) {
      int slash = uri.indexOf('/', from);
      int to = slash < 0 ? end : Math.min(slash, end);
      if (to > from) {
        segments++;
        if (uri.charAt(from) == '_' && !uri.startsWith("_all/", from)) {
          return endpoint(method, uri, from, to, end);
        }
        if (segments == 2) {
          return Action.OTHER;
        }
      }
      from = to + 1;
    }
    return Action.OTHER;
  }

  /**
   * Returns whether a request changes neither documents nor anything else in the cluster. Not
   * reads: changing a search pipeline (its path contains the endpoint of searches), closing a
   * scroll or a point in time, and SQL, which can delete.
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  public static boolean isRead(String method, String uri) {
    boolean looks = method.equals("GET") || method.equals("HEAD");
    return switch (classify(method, uri)) {
      case SEARCH, GET -> (looks || method.equals("POST")) && !isSql(uri);
      case BULK, WRITE -> false;
      case OTHER -> looks && !isSql(uri);
    };
  }

  /**
   * Returns whether a read that a node rejected with 429 may go to another node. All reads may,
   * except these, where the rejected attempt may have changed something:
   *
   * <ul>
   *   <li>A page of a scroll: shards that answered before another one rejected have moved on, so
   *       the repeated request would skip their hits.
   *   <li>The start of an asynchronous search: the node may have stored the failed search.
   * </ul>
   *
   * <p>Opening a scroll or a point in time may be repeated. A node that rejects it has released the
   * contexts of the shards that had opened one; a context whose release was lost expires by itself
   * (a scroll's after its keep-alive, that of an unfinished point in time after 30 s).
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  public static boolean isRepeatableRead(String method, String uri) {
    if (!isRead(method, uri)) {
      return false;
    }
    String path = decodedPath(uri);
    return !SCROLL_PAGE.matcher(path).matches()
        && !(method.equals("POST") && path.contains("/_async"));
  }

  /**
   * Returns whether a request may change documents: a write, or an SQL statement, which may be
   * {@code DELETE}. Only the body tells; so every statement counts.
   *
   * @param method in upper case
   * @param uri path and query as sent
   */
  public static boolean mayChangeDocuments(String method, String uri) {
    return switch (classify(method, uri)) {
      case BULK, WRITE -> true;
      case SEARCH, GET, OTHER -> isSqlStatement(decodedPath(uri));
    };
  }

  /** Runs a statement; {@code _sql/_explain} and {@code _sql/close} do not. */
  private static boolean isSqlStatement(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.startsWith("/") && path.startsWith(SQL, end - SQL.length());
  }

  private static boolean isSql(String uri) {
    return decodedPath(uri).contains(SQL);
  }

  /** A node decodes the segments of a path, too, before it looks for an endpoint. */
  private static String decodedPath(String uri) {
    String path = uri.substring(0, end(uri));
    if (path.indexOf('%') < 0) {
      return path;
    }
    StringBuilder decoded = new StringBuilder(path.length());
    for (int i = 0; i < path.length(); i++) {
      int high = path.charAt(i) == '%' && i + 2 < path.length() ? digit(path, i + 1) : -1;
      int low = high < 0 ? -1 : digit(path, i + 2);
      if (low >= 0) {
        decoded.append((char) (high * 16 + low));
        i += 2;
      } else {
        decoded.append(path.charAt(i));
      }
    }
    return decoded.toString();
  }

  private static int digit(String text, int at) {
    return Character.digit(text.charAt(at), 16);
  }

  private static Action endpoint(String method, String uri, int from, int to, int end) {
    String name = uri.substring(from, to);
    if (name.equals("_plugins") && to + 1 < end) {
      int slash = uri.indexOf('/', to + 1);
      return endpoint(method, uri, to + 1, slash < 0 ? end : Math.min(slash, end), end);
    }
    if (name.equals("_doc")) {
      return method.equals("GET") || method.equals("HEAD") ? Action.GET : Action.WRITE;
    }
    Action known = BY_ENDPOINT.get(name);
    return known == null ? Action.OTHER : known;
  }

  private static int end(String uri) {
    int query = uri.indexOf('?');
    return query < 0 ? uri.length() : query;
  }
}
