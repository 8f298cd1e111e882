package dev.weir.testkit.compare;

import java.util.List;
import java.util.stream.Collectors;

/** A parsed body: the order of keys and the spelling of scalars are kept. */
sealed interface BodyTree {
  /** What stands for a value that must not be compared. */
  ScalarNode MASKED = new ScalarNode("<masked>", 0, 0);

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
  record ObjectNode(List<Member> members, int start, int end) implements BodyTree {
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
  record Member(String key, BodyTree value) {
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
  record ArrayNode(List<BodyTree> items, int start, int end) implements BodyTree {
    @Override
    public String toString() {
      return items.stream().map(BodyTree::toString).collect(Collectors.joining(",", "[", "]"));
    }
  }

  /**
   * A scalar.
   *
   * @param text as it is written in JSON: strings with their quotes
   * @param start where its text begins
   * @param end where its text ends
   */
  record ScalarNode(String text, int start, int end) implements BodyTree {
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
