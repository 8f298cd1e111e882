package dev.weir.http.proxy;

/** Removes the gateway's own query parameters, which nodes would reject. */
final class GatewayParameterStripper {
  private static final String TRIM = "trim";

  /**
   * Asks for the ordinary response, the only kind that a node has. A node receives, and rejects,
   * any other value.
   */
  private static final String PLAIN = "columnar=false";

  private GatewayParameterStripper() {}

  /**
   * Removes the parameters from a search. On other paths a node receives, and rejects, a parameter
   * of that name.
   *
   * @param uri path and query
   */
  static String strip(String uri) {
    int query = uri.indexOf('?');
    if (query < 0 || (uri.indexOf(TRIM, query) < 0 && uri.indexOf(PLAIN, query) < 0)) {
      return uri;
    }
    String action = action(uri, query);
    boolean single = action.equals("_search");
    if (!single && !action.equals("_msearch")) {
      return uri;
    }
    StringBuilder rest = new StringBuilder(uri.length()).append(uri, 0, query);
    char before = '?';
    for (String pair : uri.substring(query + 1).split("&", -1)) {
      int equals = pair.indexOf('=');
      String name = equals < 0 ? pair : pair.substring(0, equals);
      if (!name.equals(TRIM) && !(single && pair.equals(PLAIN))) {
        rest.append(before).append(pair);
        before = '&';
      }
    }
    return rest.toString();
  }

  private static String action(String uri, int query) {
    int end = uri.charAt(query - 1 < 0 ? 0 : query - 1) == '/' ? query - 1 : query;
    int last = uri.lastIndexOf('/', end - 1);
    return uri.substring(last + 1, end);
  }
}
