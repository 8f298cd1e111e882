package dev.weir.admission.head;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The indices that a request's path names, as they are written: aliases and wildcards are not
 * resolved. Of a name with date math what is computed counts as {@code *}.
 */
public final class Indices {
  /** What a path that names no index stands for. */
  static final String ALL = "*";

  private static final List<String> EVERY = List.of(ALL);

  private Indices() {}

  /** Whether the path begins with an index, and not with an endpoint such as {@code /_bulk}. */
  static boolean named(String uri) {
    int from = start(uri);
    int end = end(uri, from);
    if (end == from) {
      return false;
    }
    boolean all = uri.startsWith("_all", from) && end == from + 4;
    return uri.charAt(from) != '_' || all;
  }

  /** The indices; {@link #ALL} alone where none is named. Never empty. */
  public static List<String> of(String uri) {
    if (!named(uri)) {
      return EVERY;
    }
    int from = start(uri);
    String expression = decoded(uri.substring(from, end(uri, from)));
    if (expression.indexOf(',') < 0) {
      return List.of(name(expression));
    }
    List<String> names = new ArrayList<>();
    for (String part : split(expression)) {
      boolean excluded = part.startsWith("-") && !names.isEmpty();
      if (!part.isEmpty() && !excluded) {
        String name = name(part);
        if (!names.contains(name)) {
          names.add(name);
        }
      }
    }
    return names.isEmpty() ? EVERY : names;
  }

  /** At the commas that are not part of date math. */
  private static List<String> split(String expression) {
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

  private static String name(String part) {
    if (part.equals("_all")) {
      return ALL;
    }
    return part.startsWith("<") && part.endsWith(">")
        ? withoutMath(part.substring(1, part.length() - 1))
        : part;
  }

  private static String withoutMath(String name) {
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
    return plain.isEmpty() ? ALL : plain.toString();
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

  /** Percent signs resolved; as it is where they are not well-formed. */
  private static String decoded(String text) {
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
}
