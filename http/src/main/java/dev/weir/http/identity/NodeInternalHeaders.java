package dev.weir.http.identity;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The headers by which nodes with the security plugin identify users to each other. No client may
 * set one, and no node may send one to a client.
 */
public final class NodeInternalHeaders {
  /**
   * Names the user for whom a privileged client acts. The node checks whether the client may do so,
   * so this header is for clients, unlike all others with its prefix.
   */
  static final AsciiString IMPERSONATE_AS =
      AsciiString.cached("opendistro_security_impersonate_as");

  private NodeInternalHeaders() {}

  static boolean isInternal(CharSequence name) {
    if (name.length() < 12) {
      return false;
    }
    return switch (name.charAt(0)) {
      case '_' -> startsWith(name, "_opendistro_") || startsWith(name, "_opensearch_security_");
      case 'o', 'O' ->
          startsWith(name, "opendistro_security_") && !IMPERSONATE_AS.contentEqualsIgnoreCase(name);
      default -> false;
    };
  }

  /** Removes internal headers. */
  public static void strip(HttpHeaders headers) {
    List<CharSequence> found = null;
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    while (all.hasNext()) {
      CharSequence name = all.next().getKey();
      if (isInternal(name)) {
        if (found == null) {
          found = new ArrayList<>(2);
        }
        found.add(name);
      }
    }
    if (found != null) {
      HeaderRemoval.removeAll(headers, found);
    }
  }

  static boolean startsWith(CharSequence name, String prefix) {
    return AsciiString.regionMatches(name, true, 0, prefix, 0, prefix.length());
  }
}
