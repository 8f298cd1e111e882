package dev.weir.testkit.compare;

import java.util.HashSet;
import java.util.List;

/**
 * What a reference gave at one place of a body, where it gives another value each time, such as a
 * time or an id.
 *
 * <p>A place counts as unbounded after {@link #MIN_VALUES} responses of which no two have the same
 * value there. One with few possible values repeats one sooner. A candidate's number then belongs
 * to numbers, and its string to strings that all begin and end as it does, such as messages with an
 * id. Anything else, and an id that is unknown, belongs to none.
 */
final class UnboundedValues {
  /** How many responses show that a place is unbounded. */
  static final int MIN_VALUES = 9;

  private UnboundedValues() {}

  /** Returns whether the values are unbounded, and a candidate's may be one of them. */
  static boolean contain(List<BodyTree> values, BodyTree candidate) {
    List<String> texts = values.stream().map(BodyTree::toString).toList();
    String text = candidate.toString();
    char kind = kind(text);
    return texts.size() >= MIN_VALUES
        && (kind == '"' || kind == '0')
        && !text.equals(ComparisonMasks.UNKNOWN)
        && texts.stream().allMatch(each -> kind(each) == kind)
        && new HashSet<>(texts).size() == texts.size()
        && (kind == '0' || (beginsLike(texts, text) && beginsLike(reversed(texts), reverse(text))));
  }

  /** Returns the first character; 0 for every number. */
  private static char kind(String text) {
    char first = text.isEmpty() ? ' ' : text.charAt(0);
    return first == '-' || Character.isDigit(first) ? '0' : first;
  }

  private static boolean beginsLike(List<String> all, String text) {
    String first = all.getFirst();
    int common = all.stream().mapToInt(each -> commonLength(first, each)).min().orElse(0);
    return text.startsWith(first.substring(0, common));
  }

  private static int commonLength(String one, String other) {
    int length = Math.min(one.length(), other.length());
    int at = 0;
    while (at < length && one.charAt(at) == other.charAt(at)) {
      at++;
    }
    return at;
  }

  private static List<String> reversed(List<String> texts) {
    return texts.stream().map(UnboundedValues::reverse).toList();
  }

  private static String reverse(String text) {
    return new StringBuilder(text).reverse().toString();
  }
}
