package dev.weir.routing.traffic;

import dev.weir.model.IndexExpression;
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
public final class IndexRename {
  /** Leaves all names. */
  public static final IndexRename NONE = new IndexRename(Map.of());

  private static final String INDEX = "index";

  private final List<Rule> rules;

  /** What came of it. */
  public sealed interface Renamed {
    /**
     * It has its new names.
     *
     * @param text the very same where nothing was renamed
     */
    record As(String text) implements Renamed {}

    /**
     * It can't be said in the cluster's names.
     *
     * @param why for the client
     */
    record Impossible(String why) implements Renamed {}
  }

  /**
   * One pattern.
   *
   * @param head what is before the star of the new name; all of it when there is no star
   */
  private record Rule(TextPattern from, String head, String tail) {
    String renamed(String name) {
      return from.plain()
          ? head
          : head
              + name.substring(from.head().length(), name.length() - from.tail().length())
              + tail;
    }
  }

  /** Renames by patterns with one {@code *} at most, in their order, to names with as many. */
  public IndexRename(Map<String, String> rename) {
    List<Rule> made = new ArrayList<>();
    rename.forEach((from, to) -> {
      int star = to.indexOf('*');
      made.add(
          new Rule(
              new TextPattern(from),
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
  public Renamed uri(String uri) {
    int from = 0;
    while (from < uri.length() && uri.charAt(from) == '/') {
      from++;
    }
    int to = from;
    while (to < uri.length() && "/?#".indexOf(uri.charAt(to)) < 0) {
      to++;
    }
    if (rules.isEmpty()) {
      return new Renamed.As(uri);
    }
    if (to == from || uri.charAt(from) == '_') {
      return query(uri);
    }
    String said = uri.substring(from, to);
    return switch (encoded(said, IndexExpression.decoded(said))) {
      case Renamed.As(String text) when text.equals(said) -> new Renamed.As(uri);
      case Renamed.As(String text) ->
          new Renamed.As(uri.substring(0, from) + text + uri.substring(to));
      case Renamed.Impossible impossible -> impossible;
    };
  }

  private Renamed query(String uri) {
    StringBuilder known = new StringBuilder(uri);
    for (QueryParameters.Parameter one : QueryParameters.of(uri).reversed()) {
      if (one.name().equals(INDEX)) {
        String said = uri.substring(one.from(), one.to());
        switch (encoded(said, QueryParameters.decoded(said))) {
          case Renamed.As(String text) -> known.replace(one.from(), one.to(), text);
          case Renamed.Impossible impossible -> {
            return impossible;
          }
        }
      }
    }
    return new Renamed.As(known.toString());
  }

  /** What stays is as it was sent, also what is not well-formed, which nodes refuse. */
  private Renamed encoded(String sent, String said) {
    if (said.equals(sent) && sent.indexOf('%') >= 0) {
      return new Renamed.As(sent);
    }
    return switch (expression(said)) {
      case Renamed.As(String text) when text.equals(said) -> new Renamed.As(sent);
      case Renamed.As(String text) -> new Renamed.As(PercentCoding.encoded(text));
      case Renamed.Impossible impossible -> impossible;
    };
  }

  /** A list of names, wildcards and exclusions with commas between, not percent-encoded. */
  public Renamed expression(String expression) {
    if (rules.isEmpty()) {
      return new Renamed.As(expression);
    }
    List<String> names = new ArrayList<>();
    for (String part : IndexExpression.split(expression)) {
      boolean excluded = part.startsWith("-");
      switch (name(excluded ? part.substring(1) : part)) {
        case Renamed.As(String name) -> names.add(excluded ? "-" + name : name);
        case Renamed.Impossible impossible -> {
          return impossible;
        }
      }
    }
    return new Renamed.As(String.join(",", names));
  }

  private Renamed name(String name) {
    if (name.isEmpty() || name.equals("_all") || name.equals("*") || name.indexOf(':') >= 0) {
      return new Renamed.As(name);
    }
    boolean math = name.length() > 2 && name.startsWith("<") && name.endsWith(">");
    String plain = math ? name.substring(1, name.length() - 1) : name;
    String range = math ? IndexExpression.withoutMath(plain) : plain;
    for (Rule rule : rules) {
      if (rule.from().matches(plain)) {
        String renamed = rule.renamed(plain);
        return new Renamed.As(math ? "<" + renamed + ">" : renamed);
      }
      if (range.indexOf('*') >= 0 && meet(rule.from(), range)) {
        return new Renamed.Impossible(
            "got "
                + name
                + ", of which some are called otherwise in this cluster (expected: names, or a"
                + " pattern within "
                + rule.from()
                + ")");
      }
    }
    return new Renamed.As(name);
  }

  /** Whether a name can match both a pattern with one star at most, and one with any number. */
  private static boolean meet(TextPattern one, String other) {
    TextPattern range = new TextPattern(other);
    if (one.plain()) {
      return range.matches(one.head());
    }
    // heads and tails must go together; what is between them the star of the one takes in
    return (one.head().startsWith(range.head()) || range.head().startsWith(one.head()))
        && (one.tail().endsWith(range.tail()) || range.tail().endsWith(one.tail()));
  }
}
