package dev.weir.http.proxy;

import java.util.HexFormat;

/**
 * Escapes the bytes of a URI that its client sent unescaped although they are not ASCII. Netty
 * reads each as a character of its own, as a node does, but would write that character as UTF-8: as
 * two bytes. A node decodes the escaped URI to the same text as the client's own.
 */
final class RawUriBytes {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private RawUriBytes() {}

  /** Returns the URI in ASCII; the same string if it is in ASCII already. */
  static String escape(String uri) {
    for (int i = 0; i < uri.length(); i++) {
      if (uri.charAt(i) > 0x7f) {
        return escapeComponents(uri);
      }
    }
    return uri;
  }

  private static String escapeComponents(String uri) {
    StringBuilder escaped = new StringBuilder(uri.length() + 32);
    boolean inQuery = false;
    boolean inValue = false;
    int start = 0;
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (isSeparator(c, inQuery, inValue)) {
        escape(uri.substring(start, i), inQuery, escaped);
        escaped.append(c);
        inValue = inQuery && c == '=';
        inQuery |= c == '?';
        start = i + 1;
      }
    }
    escape(uri.substring(start), inQuery, escaped);
    return escaped.toString();
  }

  private static boolean isSeparator(char c, boolean inQuery, boolean inValue) {
    return inQuery ? c == '&' || c == ';' || (c == '=' && !inValue) : c == '/' || c == '?';
  }

  /**
   * Escapes a segment of the path, or a name or a value in the query. A node decodes one that has
   * an escape, and takes the bytes beside it for bytes of UTF-8; in another one, it takes each byte
   * for a character.
   */
  private static void escape(String component, boolean inQuery, StringBuilder to) {
    boolean isDecoded = component.indexOf('%') >= 0 || (inQuery && component.indexOf('+') >= 0);
    for (int i = 0; i < component.length(); i++) {
      char c = component.charAt(i);
      if (c < 0x80 || c > 0xff) { // above: the gateway's own, which Netty writes as UTF-8
        to.append(c);
      } else if (isDecoded) {
        append(c, to);
      } else {
        append(0xc0 | (c >> 6), to);
        append(0x80 | (c & 0x3f), to);
      }
    }
  }

  private static void append(int escapedByte, StringBuilder to) {
    to.append('%').append(HEX.toHexDigits((byte) escapedByte));
  }
}
