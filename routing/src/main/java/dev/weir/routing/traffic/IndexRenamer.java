package dev.weir.routing.traffic;

import dev.weir.model.IndexExpressionParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Replaces the index names of clients by a cluster's own names. Immutable.
 *
 * <p>The first matching pattern decides; the text of its {@code *} is inserted into the new name.
 * Names that match none, remote ones ({@code cluster:index}), {@code _all} and {@code *} stay
 * unchanged. A wildcard is renamed if one pattern renames all names that it stands for, for example
 * {@code logs-2024-*} by {@code logs-*}. If a pattern renames only some of these names, no
 * expression has the same meaning. Date math is renamed within the {@code *}.
 */
public final class IndexRenamer {
  /** Renames nothing. */
  public static final IndexRenamer NONE = new IndexRenamer(Map.of());

  private static final String INDEX = "index";

  private final List<Rule> rules;

  /** The result of renaming an expression. */
  public sealed interface Result {
    /**
     * The renamed expression.
     *
     * @param text the same object if nothing was renamed
     */
    record Renamed(String text) implements Result {}

    /**
     * The expression has no equivalent in the cluster's names.
     *
     * @param reason for the client
     */
    record Impossible(String reason) implements Result {}
  }

  /**
   * One pattern.
   *
   * @param prefix the new name up to its star; the whole name without a star
   */
  private record Rule(WildcardPattern from, String prefix, String suffix) {
    String rename(String name) {
      return from.isLiteral()
          ? prefix
          : prefix
              + name.substring(from.prefix().length(), name.length() - from.suffix().length())
              + suffix;
    }
  }

  /**
   * Creates a renamer from ordered patterns with at most one {@code *}, to names with equally many.
   */
  public IndexRenamer(Map<String, String> rename) {
    List<Rule> made = new ArrayList<>();
    rename.forEach((from, to) -> {
      int star = to.indexOf('*');
      made.add(
          new Rule(
              new WildcardPattern(from),
              star < 0 ? to : to.substring(0, star),
              star < 0 ? "" : to.substring(star + 1)));
    });
    this.rules = List.copyOf(made);
  }

  /** Returns true if it renames nothing. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * Renames the indices of a path and query: those of the first segment, or, if that is an endpoint
   * or missing, those of the parameter {@code index}.
   *
   * @param uri as sent
   */
  public Result renameUri(String uri) {
    int from = 0;
    while (from < uri.length() && uri.charAt(from) == '/') {
      from++;
    }
    int to = from;
    while (to < uri.length() && "/?#".indexOf(uri.charAt(to)) < 0) {
      to++;
    }
    if (rules.isEmpty()) {
      return new Result.Renamed(uri);
    }
    if (to == from || uri.charAt(from) == '_') {
      return renameQuery(uri);
    }
    String decoded = uri.substring(from, to);
    return switch (renameEncoded(decoded, IndexExpressionParser.decode(decoded))) {
      case Result.Renamed(String text) when text.equals(decoded) -> new Result.Renamed(uri);
      case Result.Renamed(String text) ->
          new Result.Renamed(uri.substring(0, from) + text + uri.substring(to));
      case Result.Impossible impossible -> impossible;
    };
  }

  private Result renameQuery(String uri) {
    StringBuilder known = new StringBuilder(uri);
    for (QueryParameters.Parameter one : QueryParameters.parse(uri).reversed()) {
      if (one.name().equals(INDEX)) {
        String decoded = uri.substring(one.from(), one.to());
        switch (renameEncoded(decoded, QueryParameters.decode(decoded))) {
          case Result.Renamed(String text) -> known.replace(one.from(), one.to(), text);
          case Result.Impossible impossible -> {
            return impossible;
          }
        }
      }
    }
    return new Result.Renamed(known.toString());
  }

  /**
   * Renames a percent-encoded expression. An unchanged one stays as sent, even if malformed: nodes
   * reject it.
   */
  private Result renameEncoded(String sent, String decoded) {
    if (decoded.equals(sent) && sent.indexOf('%') >= 0) {
      return new Result.Renamed(sent);
    }
    return switch (renameExpression(decoded)) {
      case Result.Renamed(String text) when text.equals(decoded) -> new Result.Renamed(sent);
      case Result.Renamed(String text) -> new Result.Renamed(PercentEncoder.encode(text));
      case Result.Impossible impossible -> impossible;
    };
  }

  /** Renames a comma-separated list of names, wildcards and exclusions, not percent-encoded. */
  public Result renameExpression(String expression) {
    if (rules.isEmpty()) {
      return new Result.Renamed(expression);
    }
    List<String> names = new ArrayList<>();
    for (String part : IndexExpressionParser.split(expression)) {
      boolean excluded = part.startsWith("-");
      switch (renameName(excluded ? part.substring(1) : part)) {
        case Result.Renamed(String name) -> names.add(excluded ? "-" + name : name);
        case Result.Impossible impossible -> {
          return impossible;
        }
      }
    }
    return new Result.Renamed(String.join(",", names));
  }

  /** Renames a single name, in which commas and a minus sign mean nothing. */
  Result renameName(String name) {
    if (name.isEmpty() || name.equals("_all") || name.equals("*") || name.indexOf(':') >= 0) {
      return new Result.Renamed(name);
    }
    boolean math = name.length() > 2 && name.startsWith("<") && name.endsWith(">");
    String plain = math ? name.substring(1, name.length() - 1) : name;
    String covered = math ? IndexExpressionParser.withoutDateMath(plain) : plain;
    WildcardPattern range = covered.indexOf('*') < 0 ? null : new WildcardPattern(covered);
    for (Rule rule : rules) {
      if (rule.from().matches(plain)) {
        String renamed = rule.rename(plain);
        return new Result.Renamed(math ? "<" + renamed + ">" : renamed);
      }
      if (range != null && canBothMatch(rule.from(), range)) {
        return new Result.Impossible(
            "got "
                + name
                + ", of which some are called otherwise in this cluster (expected: names, or a"
                + " pattern within "
                + rule.from()
                + ")");
      }
    }
    return new Result.Renamed(name);
  }

  /**
   * Returns true if some name matches both a pattern with at most one star and one with any number.
   */
  private static boolean canBothMatch(WildcardPattern one, WildcardPattern range) {
    if (one.isLiteral()) {
      return range.matches(one.prefix());
    }
    // prefixes and suffixes must be compatible; the first pattern's star covers everything between
    return (one.prefix().startsWith(range.prefix()) || range.prefix().startsWith(one.prefix()))
        && (one.suffix().endsWith(range.suffix()) || range.suffix().endsWith(one.suffix()));
  }
}
