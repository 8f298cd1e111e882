package dev.weir.routing.traffic;

import java.util.ArrayList;
import java.util.List;

/**
 * A pattern in which {@code *} matches any text, also an empty one. A star in the compared text is
 * a plain character: {@code logs-*} matches the text {@code logs-2024-*}, and thereby every name
 * that this stands for. Immutable.
 */
final class WildcardPattern {
  private final String text;
  private final String prefix;
  private final String suffix;
  private final boolean isLiteral;
  private final List<String> infixes;

  WildcardPattern(String text) {
    this.text = text;
    int first = text.indexOf('*');
    int last = text.lastIndexOf('*');
    this.isLiteral = first < 0;
    this.prefix = isLiteral ? text : text.substring(0, first);
    this.suffix = isLiteral ? "" : text.substring(last + 1);
    this.infixes = last > first ? infixes(text, first, last) : List.of();
  }

  /** Returns the texts between the stars. Clients' names are patterns too: this must be cheap. */
  private static List<String> infixes(String text, int firstStar, int lastStar) {
    List<String> found = new ArrayList<>();
    int from = firstStar + 1;
    while (from < lastStar) {
      int star = text.indexOf('*', from);
      if (star > from) {
        found.add(text.substring(from, star));
      }
      from = star + 1;
    }
    return List.copyOf(found);
  }

  /** Returns true without a star. */
  boolean isLiteral() {
    return isLiteral;
  }

  /** Returns the start of every match. */
  String prefix() {
    return prefix;
  }

  /** Returns the end of every match; empty for a literal pattern. */
  String suffix() {
    return suffix;
  }

  /** Returns the longest text between stars; empty for none. */
  String longestInfix() {
    String longest = "";
    for (String part : infixes) {
      longest = part.length() > longest.length() ? part : longest;
    }
    return longest;
  }

  boolean matches(String name) {
    if (isLiteral) {
      return name.equals(prefix);
    }
    if (name.length() < prefix.length() + suffix.length()
        || !name.startsWith(prefix)
        || !name.endsWith(suffix)) {
      return false;
    }
    int from = prefix.length();
    int to = name.length() - suffix.length();
    for (String part : infixes) {
      int at = name.indexOf(part, from);
      if (at < 0 || at + part.length() > to) {
        return false;
      }
      from = at + part.length();
    }
    return true;
  }

  @Override
  public String toString() {
    return text;
  }
}
