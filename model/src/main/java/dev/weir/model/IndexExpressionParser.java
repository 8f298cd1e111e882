package dev.weir.model;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses index expressions in a request's path: names, wildcards, exclusions and date math,
 * separated by commas.
 */
public final class IndexExpressionParser {
  private IndexExpressionParser() {}

  /**
   * Decodes percent-encoding (RFC 3986), and {@code %%} to one percent sign as nodes do. Returns
   * malformed text unchanged.
   */
  public static String decode(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '%' && i + 1 < text.length() && text.charAt(i + 1) == '%') {
        bytes.write('%');
        i++;
      } else if (c == '%') {
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

  /** Splits at the commas that are not part of date math. */
  public static List<String> split(String expression) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < expression.length(); i++) {
      char c = expression.charAt(i);
      if (c == '<') {
        depth++;
      } else if (c == '>') {
        depth = Math.max(0, depth - 1);
      } else if (c == ',' && depth == 0) {
        parts.add(expression.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(expression.substring(from));
    return parts;
  }

  /** Returns a name in {@code <} and {@code >} with {@code *} in place of its date math. */
  public static String withoutDateMath(String name) {
    StringBuilder plain = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '{') {
        if (depth++ == 0) {
          plain.append('*');
        }
      } else if (c == '}') {
        depth = Math.max(0, depth - 1);
      } else if (depth == 0) {
        plain.append(c);
      }
    }
    return plain.toString();
  }
}
