package dev.weir.routing.traffic;

import java.nio.charset.StandardCharsets;

/** Percent-encodes a segment of a path, or the value of a parameter, by RFC 3986. */
final class PercentEncoder {
  private static final String UNESCAPED = "-._~!$'()*,:@";

  private PercentEncoder() {}

  /** Encodes a text for a path or a query. */
  static String encode(String text) {
    StringBuilder result = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      if (c < 128 && (Character.isLetterOrDigit(c) || UNESCAPED.indexOf(c) >= 0)) {
        result.append(c);
      } else {
        result.append('%').append(hex(b >> 4)).append(hex(b));
      }
    }
    return result.toString();
  }

  private static char hex(int halfByte) {
    return Character.toUpperCase(Character.forDigit(halfByte & 0xF, 16));
  }
}
