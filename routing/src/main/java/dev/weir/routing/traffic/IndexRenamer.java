package dev.weir.routing.traffic;

import dev.weir.model.IndexExpressionParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Puts a cluster's own names of indices in the place of those that clients say. Immutable.
 *
 * <p>The first pattern that a name matches counts; what its {@code *} stood for stands in the new
 * name. Names that match none, remote ones ({@code cluster:index}), {@code _all} and {@code *}
 * stay. A wildcard is renamed where all names that it stands for are renamed by one pattern, such
 * as {@code logs-2024-*} by {@code logs-*}; where some of them are and some are not, there is no
 * expression with the same meaning. Date math is renamed where it lies within the {@code *}.
 */
public final class IndexRenamer {
  /** Leaves all names. */
  public static final IndexRenamer NONE = new IndexRenamer(Map.of());

  private static final String INDEX = "index";

  private final List<Rule> rules;

  /** What came of it. */
  public sealed interface Result {
    /**
     * It has its new names.
     *
     * @param text the very same where nothing was renamed
     */
    record Renamed(String text) implements Result {}

    /**
     * It can't be said in the cluster's names.
     *
     * @param reason for the client
     */
    record Impossible(String reason) implements Result {}
  }

  /**
   * One pattern.
   *
   * @param prefix what is before the star of the new name; all of it when there is no star
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

  /** Renames by patterns with one {@code *} at most, in their order, to names with as many. */
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

  /** Whether all names stay. */
  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /**
   * A path and query with other indices: those of its first segment; where that is an endpoint, or
   * there is none, those of the parameter {@code index}.
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
    String said = uri.substring(from, to);
    return switch (renameEncoded(said, IndexExpressionParser.decode(said))) {
      case Result.Renamed(String text) when text.equals(said) -> new Result.Renamed(uri);
      case Result.Renamed(String text) ->
          new Result.Renamed(uri.substring(0, from) + text + uri.substring(to));
      case Result.Impossible impossible -> impossible;
    };
  }

  private Result renameQuery(String uri) {
    StringBuilder known = new StringBuilder(uri);
    for (QueryParameters.Parameter one : QueryParameters.parse(uri).reversed()) {
      if (one.name().equals(INDEX)) {
        String said = uri.substring(one.from(), one.to());
        switch (renameEncoded(said, QueryParameters.decode(said))) {
          case Result.Renamed(String text) -> known.replace(one.from(), one.to(), text);
          case Result.Impossible impossible -> {
            return impossible;
          }
        }
      }
    }
    return new Result.Renamed(known.toString());
  }

  /** What stays is as it was sent, also what is not well-formed, which nodes refuse. */
  private Result renameEncoded(String sent, String said) {
    if (said.equals(sent) && sent.indexOf('%') >= 0) {
      return new Result.Renamed(sent);
    }
    return switch (renameExpression(said)) {
      case Result.Renamed(String text) when text.equals(said) -> new Result.Renamed(sent);
      case Result.Renamed(String text) -> new Result.Renamed(PercentEncoder.encode(text));
      case Result.Impossible impossible -> impossible;
    };
  }

  /** A list of names, wildcards and exclusions with commas between, not percent-encoded. */
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

  private Result renameName(String name) {
    if (name.isEmpty() || name.equals("_all") || name.equals("*") || name.indexOf(':') >= 0) {
      return new Result.Renamed(name);
    }
    boolean math = name.length() > 2 && name.startsWith("<") && name.endsWith(">");
    String plain = math ? name.substring(1, name.length() - 1) : name;
    String range = math ? IndexExpressionParser.withoutDateMath(plain) : plain;
    for (Rule rule : rules) {
      if (rule.from().matches(plain)) {
        String renamed = rule.rename(plain);
        return new Result.Renamed(math ? "<" + renamed + ">" : renamed);
      }
      if (range.indexOf('*') >= 0 && canBothMatch(rule.from(), range)) {
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

  /** Whether a name can match both a pattern with one star at most, and one with any number. */
  private static boolean canBothMatch(WildcardPattern one, String other) {
    WildcardPattern range = new WildcardPattern(other);
    if (one.isLiteral()) {
      return range.matches(one.prefix());
    }
    // heads and tails must go together; what is between them the star of the one takes in
    return (one.prefix().startsWith(range.prefix()) || range.prefix().startsWith(one.prefix()))
        && (one.suffix().endsWith(range.suffix()) || range.suffix().endsWith(one.suffix()));
  }
}
