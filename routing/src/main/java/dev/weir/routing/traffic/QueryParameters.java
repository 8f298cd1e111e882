package dev.weir.routing.traffic;

import dev.weir.model.IndexExpressionParser;
import java.util.ArrayList;
import java.util.List;

/**
 * The parameters after a path's {@code ?}, split as nodes do ({@code RestUtils.decodeQueryString}):
 * {@code &} and {@code ;} are between them, {@code #} ends them.
 */
public final class QueryParameters {
  /**
   * One parameter.
   *
   * @param name decoded
   * @param from where its value begins, as sent
   * @param to where it ends
   */
  record Parameter(String name, int from, int to) {}

  private QueryParameters() {}

  /** Whether a parameter has this name, however that is encoded. */
  public static boolean has(String uri, String name) {
    return parse(uri).stream().anyMatch(parameter -> parameter.name().equals(name));
  }

  /** All of them, in their order; of some with the same name the last one counts. */
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
      while (from < to && uri.charAt(from) == '=') { // nodes pass over an empty name
        from++;
      }
      int equals = uri.indexOf('=', from);
      int nameEnd = equals < 0 || equals > to ? to : equals;
      all.add(new Parameter(decode(uri.substring(from, nameEnd)), Math.min(nameEnd + 1, to), to));
      from = to + 1;
    }
    return all;
  }

  /** A name or a value; with its percent signs where they are not well-formed. */
  static String decode(String text) {
    return IndexExpressionParser.decode(text.replace('+', ' '));
  }
}
