package dev.weir.routing.traffic;

import java.nio.charset.StandardCharsets;

/** Percent signs in a segment of a path, or in the value of a parameter, by RFC 3986. */
final class PercentCoding {
  private static final String PLAIN = "-._~!$'()*,:@";

  private PercentCoding() {}

  /** As it stands in a path or a query. */
  static String encoded(String text) {
    StringBuilder result = new StringBuilder(text.length() + 16);
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xFF);
      if (c < 128 && (Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0)) {
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
