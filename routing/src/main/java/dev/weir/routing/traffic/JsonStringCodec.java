package dev.weir.routing.traffic;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.model.JsonStringEscaper;
import org.jspecify.annotations.Nullable;

/** Decodes and encodes JSON strings, by RFC 8259. */
final class JsonStringCodec {
  private static final int HEX = 16;
  private static final int HEX_DIGITS = 4;

  private JsonStringCodec() {}

  /**
   * Decodes a string.
   *
   * @param bytes UTF-8 between its quotes
   * @return null for an invalid escape
   */
  static @Nullable String decode(byte[] bytes, int length) {
    String text = new String(bytes, 0, length, UTF_8);
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        plain.append(c);
        continue;
      }
      if (++i == text.length()) {
        return null;
      }
      switch (text.charAt(i)) {
        case '"', '\\', '/' -> plain.append(text.charAt(i));
        case 'b' -> plain.append('\b');
        case 'f' -> plain.append('\f');
        case 'n' -> plain.append('\n');
        case 'r' -> plain.append('\r');
        case 't' -> plain.append('\t');
        case 'u' -> {
          int code = hex(text, i + 1);
          if (code < 0) {
            return null;
          }
          plain.append((char) code);
          i += HEX_DIGITS;
        }
        default -> {
          return null;
        }
      }
    }
    return plain.toString();
  }

  private static int hex(String text, int from) {
    if (from + HEX_DIGITS > text.length()) {
      return -1;
    }
    int code = 0;
    for (int i = from; i < from + HEX_DIGITS; i++) {
      char c = text.charAt(i);
      int digit = c < 128 ? Character.digit(c, HEX) : -1;
      if (digit < 0) {
        return -1;
      }
      code = code * HEX + digit;
    }
    return code;
  }

  /** Returns a JSON string with its quotes, in UTF-8. */
  static byte[] encode(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2);
    JsonStringEscaper.appendQuoted(quoted, text);
    return quoted.toString().getBytes(UTF_8);
  }
}
