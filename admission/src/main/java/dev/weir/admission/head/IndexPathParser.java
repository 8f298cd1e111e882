package dev.weir.admission.head;

import dev.weir.model.IndexExpressionParser;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the index names in a request's path as written: resolves neither aliases nor wildcards. The
 * computed part of a date math name counts as {@code *}.
 */
public final class IndexPathParser {
  /** The name that stands for a path without an index. */
  static final String ALL = "*";

  private static final List<String> ALL_INDICES = List.of(ALL);

  private IndexPathParser() {}

  /**
   * Returns whether the path begins with an index rather than an endpoint such as {@code /_bulk}.
   */
  static boolean hasIndex(String uri) {
    int from = start(uri);
    int end = end(uri, from);
    if (end == from) {
      return false;
    }
    boolean all = uri.startsWith("_all", from) && end == from + 4;
    return uri.charAt(from) != '_' || all;
  }

  /** Returns the index names; only {@link #ALL} if the path has none. Never empty. */
  public static List<String> parse(String uri) {
    if (!hasIndex(uri)) {
      return ALL_INDICES;
    }
    int from = start(uri);
    String expression = IndexExpressionParser.decode(uri.substring(from, end(uri, from)));
    if (expression.indexOf(',') < 0) {
      return List.of(name(expression));
    }
    List<String> names = new ArrayList<>();
    for (String part : IndexExpressionParser.split(expression)) {
      boolean excluded = part.startsWith("-") && !names.isEmpty();
      if (!part.isEmpty() && !excluded) {
        String name = name(part);
        if (!names.contains(name)) {
          names.add(name);
        }
      }
    }
    return names.isEmpty() ? ALL_INDICES : names;
  }

  private static String name(String part) {
    if (part.equals("_all")) {
      return ALL;
    }
    if (!part.startsWith("<") || !part.endsWith(">")) {
      return part;
    }
    String plain = IndexExpressionParser.withoutDateMath(part.substring(1, part.length() - 1));
    return plain.isEmpty() ? ALL : plain;
  }

  private static int start(String uri) {
    int from = 0;
    while (from < uri.length() && uri.charAt(from) == '/') {
      from++;
    }
    return from;
  }

  private static int end(String uri, int from) {
    for (int i = from; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c == '/' || c == '?' || c == '#') {
        return i;
      }
    }
    return uri.length();
  }
}
