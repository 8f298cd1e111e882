package dev.weir.routing.traffic;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Percent signs in a segment of a path, by RFC 3986. */
final class PercentCoding {
  private static final String PLAIN = "-._~!$&'()*+,;=:@";

  private PercentCoding() {}

  /** Without percent signs; as it is where they are not well-formed. */
  static String decoded(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%') {
        int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
        int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
        if (high < 0 || low < 0) {
          return text;
        }
        bytes.write(high << 4 | low);
        i += 2;
      } else {
        bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** As it stands in a path. */
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
