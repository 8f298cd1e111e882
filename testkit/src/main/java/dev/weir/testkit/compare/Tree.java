package dev.weir.testkit.compare;

import java.util.List;
import java.util.stream.Collectors;

/** A parsed body: the order of keys and the spelling of scalars are kept. */
sealed interface Tree {
  /** What stands for a value that must not be compared. */
  Leaf MASKED = new Leaf("<masked>", 0, 0);

  /** Where its text begins in the body; 0 when the format has no text. */
  int start();

  /** Where its text ends. */
  int end();

  /**
   * An object.
   *
   * @param members its members in order; keys may repeat
   * @param start where its text begins
   * @param end where its text ends
   */
  record Members(List<Member> members, int start, int end) implements Tree {
    @Override
    public String toString() {
      return members.stream().map(Member::toString).collect(Collectors.joining(",", "{", "}"));
    }

    List<String> keys() {
      return members.stream().map(Member::key).toList();
    }
  }

  /**
   * A key and its value.
   *
   * @param key without quotes, unescaped
   * @param value the value
   */
  record Member(String key, Tree value) {
    @Override
    public String toString() {
      return '"' + key + "\":" + value;
    }
  }

  /**
   * An array.
   *
   * @param items its elements
   * @param start where its text begins
   * @param end where its text ends
   */
  record Items(List<Tree> items, int start, int end) implements Tree {
    @Override
    public String toString() {
      return items.stream().map(Tree::toString).collect(Collectors.joining(",", "[", "]"));
    }
  }

  /**
   * A scalar.
   *
   * @param text as it is written in JSON: strings with their quotes
   * @param start where its text begins
   * @param end where its text ends
   */
  record Leaf(String text, int start, int end) implements Tree {
    @Override
    public String toString() {
      return text;
    }

    /** The text without quotes; escapes stay. */
    String unquoted() {
      return text.length() >= 2 && text.startsWith("\"")
          ? text.substring(1, text.length() - 1)
          : text;
    }
  }
}
