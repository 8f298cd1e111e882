package dev.weir.routing.traffic;

import dev.weir.model.IndexExpressionParser;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses the parameters after a path's {@code ?}, as nodes do ({@code
 * RestUtils.decodeQueryString}): {@code &} and {@code ;} separate them, {@code #} ends them.
 */
public final class QueryParameters {
  /**
   * One parameter.
   *
   * @param name decoded
   * @param from the start of its value, as sent
   * @param to the end of its value
   */
  record Parameter(String name, int from, int to) {}

  private QueryParameters() {}

  /** Returns true if a parameter has this name in any encoding. */
  public static boolean has(String uri, String name) {
    return parse(uri).stream().anyMatch(parameter -> parameter.name().equals(name));
  }

  /** Returns all parameters in order; among equal names the last one counts. */
  static List<Parameter> parse(String uri) {
    int query = uri.indexOf('?');
    if (query < 0) {
      return List.of();
    }
    int fragment = uri.indexOf('#');
    int end = fragment < 0 ? uri.length() : fragment;
    List<Parameter> all = new ArrayList<>();
    int from = query + 1;
    while (from < end) {
      int to = from;
      while (to < end && uri.charAt(to) != '&' && uri.charAt(to) != ';') {
        to++;
      }
      while (from < to && uri.charAt(from) == '=') { // nodes skip an empty name
        from++;
      }
      int equals = uri.indexOf('=', from);
      int nameEnd = equals < 0 || equals > to ? to : equals;
      all.add(new Parameter(decode(uri.substring(from, nameEnd)), Math.min(nameEnd + 1, to), to));
      from = to + 1;
    }
    return all;
  }

  /** Decodes a name or a value; malformed percent escapes stay unchanged. */
  static String decode(String text) {
    return IndexExpressionParser.decode(text.replace('+', ' '));
  }
}
