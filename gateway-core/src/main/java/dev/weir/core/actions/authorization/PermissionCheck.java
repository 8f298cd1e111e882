package dev.weir.core.actions.authorization;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.opensearch.action.support.IndicesOptions;

/**
 * A dry run that says whether a user may do something. A node executes nothing of it. Immutable.
 *
 * @param body empty for none
 */
record PermissionCheck(String method, String uri, String body) {
  /** A node before 3.2, or without the plugin, rejects a request with this unknown parameter. */
  private static final String DRY_RUN = "perform_permission_check=true";

  /** Deletes a document that does not exist from an index that does not exist, if executed. */
  private static final String HARMLESS_BULK =
      "{\"delete\":{\"_index\":\"weir-permission-check\",\"_id\":\"weir-permission-check\"}}\n";

  /** Searches an index that does not exist, if executed. */
  private static final String HARMLESS_MULTI_SEARCH =
      "{\"index\":\"weir-permission-check\"}\n{\"size\":0}\n";

  /** Names a scroll that does not exist. */
  private static final String HARMLESS_SCROLL = "{\"scroll_id\":\"weir-permission-check\"}";

  /** The length of two spaces and {@code HTTP/1.1}. */
  private static final int PROTOCOL_BYTES = 10;

  private static final String EMPTY_DOCUMENT = "{}\n";

  private static final String HEX = "0123456789ABCDEF";

  /** Whether the user may send bulks; nodes check the items when they execute them. */
  static PermissionCheck ofBulk() {
    return new PermissionCheck("POST", "/_bulk?" + DRY_RUN, HARMLESS_BULK);
  }

  /** Whether the user may send several searches at once; nodes check each of them by itself. */
  static PermissionCheck ofMultiSearch() {
    return new PermissionCheck("POST", "/_msearch?" + DRY_RUN, HARMLESS_MULTI_SEARCH);
  }

  /** Whether the user may index documents. If executed, a version conflict. */
  static PermissionCheck ofIndex(String index) {
    return new PermissionCheck("PUT", documentUri(index), EMPTY_DOCUMENT);
  }

  /** Whether the user may delete documents. If executed, a version conflict. */
  static PermissionCheck ofDelete(String index) {
    return new PermissionCheck("DELETE", documentUri(index), "");
  }

  private static String documentUri(String index) {
    StringBuilder uri = new StringBuilder("/");
    appendEncoded(uri, index);
    return uri.append("/_doc/weir-permission-check?if_seq_no=0&if_primary_term=1&")
        .append(DRY_RUN)
        .toString();
  }

  /** Whether the user may search under these names, wildcards and aliases. */
  static PermissionCheck ofSearch(String[] expressions, IndicesOptions options) {
    StringBuilder uri = new StringBuilder("/");
    for (int i = 0; i < expressions.length; i++) {
      appendEncoded(i == 0 ? uri : uri.append(','), expressions[i]);
    }
    uri.append(expressions.length == 0 ? "_search?" : "/_search?").append(DRY_RUN);
    uri.append("&ignore_unavailable=").append(options.ignoreUnavailable());
    uri.append("&allow_no_indices=").append(options.allowNoIndices());
    uri.append("&expand_wildcards=").append(expandWildcards(options));
    return new PermissionCheck("GET", uri.toString(), "");
  }

  /** A search without hits whose response has a node's reason, if the node denies it. */
  static PermissionCheck ofDenialReason(String[] expressions, IndicesOptions options) {
    PermissionCheck search = ofSearch(expressions, options);
    return new PermissionCheck("GET", search.uri.replace(DRY_RUN, "size=0"), "");
  }

  /**
   * Whether the user may search a point in time.
   *
   * @param id without characters that JSON escapes
   */
  static PermissionCheck ofPointInTime(String id) {
    return new PermissionCheck(
        "POST", "/_search?" + DRY_RUN, "{\"size\":0,\"pit\":{\"id\":\"" + id + "\"}}");
  }

  /** Whether the user may read pages of scrolls; nodes compare the user with the scroll's. */
  static PermissionCheck ofScroll() {
    return new PermissionCheck("POST", "/_search/scroll?" + DRY_RUN, HARMLESS_SCROLL);
  }

  /** Whether the user may close scrolls. */
  static PermissionCheck ofClearScroll() {
    return new PermissionCheck("DELETE", "/_search/scroll?" + DRY_RUN, HARMLESS_SCROLL);
  }

  /** Whether the user may search these indices, each under its own name. */
  static PermissionCheck ofSearch(Collection<String> indices) {
    StringBuilder uri = new StringBuilder("/");
    for (String index : new TreeSet<>(indices)) {
      appendEncoded(uri.length() == 1 ? uri : uri.append(','), index);
    }
    return new PermissionCheck("GET", uri.append("/_search?").append(DRY_RUN).toString(), "");
  }

  /** The length of the request line, in bytes. */
  int requestLineBytes() {
    return method.length() + uri.length() + PROTOCOL_BYTES; // all of it is ASCII
  }

  private static String expandWildcards(IndicesOptions options) {
    Set<String> states = new TreeSet<>();
    if (options.expandWildcardsOpen()) {
      states.add("open");
    }
    if (options.expandWildcardsClosed()) {
      states.add("closed");
    }
    if (options.expandWildcardsHidden()) {
      states.add("hidden");
    }
    return states.isEmpty() ? "none" : String.join(",", states);
  }

  /** Appends text with all characters encoded that have a meaning in a URI. */
  private static void appendEncoded(StringBuilder uri, String text) {
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean isPlain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '-'
              || c == '_'
              || c == '.';
      if (isPlain) {
        uri.append(c);
      } else {
        uri.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
      }
    }
  }
}
