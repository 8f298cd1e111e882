package dev.weir.routing.traffic;

import java.util.List;

/**
 * A pattern in which {@code *} stands for any text, also for none. A star in the text that is
 * compared is a plain character: {@code logs-*} matches the text {@code logs-2024-*}, and with it
 * every name that this stands for. Immutable.
 */
final class TextPattern {
  private final String text;
  private final String head;
  private final String tail;
  private final boolean plain;
  private final List<String> between;

  TextPattern(String text) {
    this.text = text;
    int first = text.indexOf('*');
    int last = text.lastIndexOf('*');
    this.plain = first < 0;
    this.head = plain ? text : text.substring(0, first);
    this.tail = plain ? "" : text.substring(last + 1);
    this.between =
        last > first
            ? List.of(text.substring(first + 1, last).split("\\*+", -1)).stream()
                .filter(part -> !part.isEmpty())
                .toList()
            : List.of();
  }

  /** Whether it has no star. */
  boolean plain() {
    return plain;
  }

  /** What every match begins with. */
  String head() {
    return head;
  }

  /** What every match ends with; empty for a plain one. */
  String tail() {
    return tail;
  }

  /** The longest text that every match has between its stars; empty for none. */
  String within() {
    String longest = "";
    for (String part : between) {
      longest = part.length() > longest.length() ? part : longest;
    }
    return longest;
  }

  boolean matches(String name) {
    if (plain) {
      return name.equals(head);
    }
    if (name.length() < head.length() + tail.length()
        || !name.startsWith(head)
        || !name.endsWith(tail)) {
      return false;
    }
    int from = head.length();
    int to = name.length() - tail.length();
    for (String part : between) {
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
