package dev.weir.http.proxy;

import java.util.regex.Pattern;

/** Removes the gateway's own query parameters, which nodes would reject. */
final class GatewayParameterStripper {
  private static final String TRIM = "trim";

  /**
   * Asks for the ordinary response, the only kind that a node has. A node receives, and rejects,
   * any other value.
   */
  private static final String PLAIN = "columnar=false";

  private static final Pattern SCROLL = Pattern.compile("/_search/scroll(/[^/]*)?");

  private GatewayParameterStripper() {}

  /**
   * Removes the parameters from a search, and from a page of a scroll, which has no {@code trim}.
   * On other paths a node receives, and rejects, a parameter of that name.
   *
   * @param uri path and query
   */
  static String strip(String uri) {
    int query = uri.indexOf('?');
    if (query < 0 || (uri.indexOf(TRIM, query) < 0 && uri.indexOf(PLAIN, query) < 0)) {
      return uri;
    }
    String path = uri.substring(0, uri.charAt(Math.max(0, query - 1)) == '/' ? query - 1 : query);
    boolean isSearch = path.endsWith("/_search") || path.endsWith("/_msearch");
    if (!isSearch && !SCROLL.matcher(path).matches()) {
      return uri;
    }
    StringBuilder rest = new StringBuilder(uri.length()).append(uri, 0, query);
    char before = '?';
    int from = query + 1;
    while (from <= uri.length()) {
      int to = endOfPair(uri, from);
      String pair = uri.substring(from, to);
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      if (!(isSearch && name.equals(TRIM)) && !pair.equals(PLAIN)) {
        rest.append(before).append(pair);
        before = '&';
      }
      from = to + 1;
    }
    return rest.toString();
  }

  /** Nodes separate parameters by {@code &} and {@code ;}. */
  private static int endOfPair(String uri, int from) {
    int to = from;
    while (to < uri.length() && uri.charAt(to) != '&' && uri.charAt(to) != ';') {
      to++;
    }
    return to;
  }
}
