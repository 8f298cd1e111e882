package dev.weir.routing.traffic;

import java.util.List;

/**
 * A pattern in which {@code *} stands for any text, also for none. A star in the text that is
 * compared is a plain character: {@code logs-*} matches the text {@code logs-2024-*}, and with it
 * every name that this stands for. Immutable.
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
    this.infixes =
        last > first
            ? List.of(text.substring(first + 1, last).split("\\*+", -1)).stream()
                .filter(part -> !part.isEmpty())
                .toList()
            : List.of();
  }

  /** Whether it has no star. */
  boolean isLiteral() {
    return isLiteral;
  }

  /** What every match begins with. */
  String prefix() {
    return prefix;
  }

  /** What every match ends with; empty for a plain one. */
  String suffix() {
    return suffix;
  }

  /** The longest text that every match has between its stars; empty for none. */
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
