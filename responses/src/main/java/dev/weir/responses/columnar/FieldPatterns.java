package dev.weir.responses.columnar;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Names of fields, and patterns of them with {@code *}, as a search lists them. A long list takes
 * no longer for names, which are looked up; only patterns are compared with each field. Used by one
 * thread.
 */
final class FieldPatterns {
  /** No pattern; safe on any thread. */
  static final FieldPatterns NONE = ofFields(List.of());

  /**
   * Bounds the time of all comparisons. Most end at the first character. That of a text between two
   * {@code *} counts once more for every {@link #POSITIONS} characters of the field, as the text
   * may be anywhere.
   */
  static final int MAX_COMPARISONS = 10_000_000;

  /** To look for a text at so many positions takes about as long as a comparison. */
  private static final int POSITIONS = 8;

  private final TreeSet<String> entries = new TreeSet<>();
  private final List<Wildcard> wildcards = new ArrayList<>();
  private final boolean coversObjects;
  private final Comparisons comparisons;
  private int innerWildcards;

  /** Counts the comparisons of several lists. Used by one thread. */
  static final class Comparisons {
    private long count;

    private void add(long more) {
      count += more;
      if (count > MAX_COMPARISONS) {
        throw new IllegalArgumentException(
            "got too many names of fields with [*] for as many mapped fields (expected: fewer; name"
                + " the fields without [*])");
      }
    }
  }

  /**
   * A pattern.
   *
   * @param minLength the length of the shortest text that matches
   * @param first the position of the first {@code *}
   * @param last the position of the last one
   */
  private record Wildcard(String pattern, int minLength, int first, int last) {
    static Wildcard of(String text) {
      StringBuilder pattern = new StringBuilder();
      int stars = 0;
      for (int i = 0; i < text.length(); i++) {
        boolean isStar = text.charAt(i) == '*';
        if (!isStar || i == 0 || text.charAt(i - 1) != '*') {
          pattern.append(text.charAt(i));
          stars += isStar ? 1 : 0;
        }
      }
      String single = pattern.toString();
      return new Wildcard(
          single, single.length() - stars, single.indexOf('*'), single.lastIndexOf('*'));
    }

    boolean hasInnerText() {
      return first < last;
    }

    boolean matches(String path) {
      int afterLast = pattern.length() - last - 1;
      int end = path.length() - afterLast;
      if (path.length() < minLength
          || !path.regionMatches(0, pattern, 0, first)
          || !path.regionMatches(end, pattern, last + 1, afterLast)) {
        return false;
      }
      int position = first;
      int start = first + 1;
      while (start < last) {
        int next = pattern.indexOf('*', start);
        int length = next - start;
        while (position + length <= end && !path.regionMatches(position, pattern, start, length)) {
          position++;
        }
        position += length;
        if (position > end) {
          return false;
        }
        start = next + 1;
      }
      return true;
    }
  }

  private FieldPatterns(
      Collection<String> entries, boolean coversObjects, Comparisons comparisons) {
    this.coversObjects = coversObjects;
    this.comparisons = comparisons;
    for (String entry : entries) {
      if (this.entries.add(entry) && entry.indexOf('*') >= 0) {
        addWildcard(entry);
        if (coversObjects && !entry.endsWith("*")) {
          addWildcard(entry + ".*");
        }
      }
    }
  }

  private void addWildcard(String pattern) {
    Wildcard wildcard = Wildcard.of(pattern);
    wildcards.add(wildcard);
    innerWildcards += wildcard.hasInnerText() ? 1 : 0;
  }

  /** Creates patterns that select fields by their paths. */
  static FieldPatterns ofFields(Collection<String> patterns) {
    return ofFields(patterns, new Comparisons());
  }

  /** Creates patterns that select fields by their paths, and count with those of other lists. */
  static FieldPatterns ofFields(Collection<String> patterns, Comparisons comparisons) {
    return new FieldPatterns(patterns, false, comparisons);
  }

  /**
   * Creates patterns that select parts of documents: a field, what is below it, and the objects
   * around it. They count with those of other lists.
   */
  static FieldPatterns ofDocument(String[] patterns, Comparisons comparisons) {
    return new FieldPatterns(List.of(patterns), true, comparisons);
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /**
   * Returns true if a pattern selects the path.
   *
   * @throws IllegalArgumentException after too many comparisons
   */
  boolean matches(String path) {
    return entries.contains(path)
        || (coversObjects && (isBelowEntry(path) || isAboveEntry(path)))
        || matchesWildcard(path);
  }

  private boolean isBelowEntry(String path) {
    for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
      if (entries.contains(path.substring(0, dot))) {
        return true;
      }
    }
    return false;
  }

  private boolean isAboveEntry(String path) {
    String prefix = path + ".";
    String next = entries.ceiling(prefix);
    return next != null && next.startsWith(prefix);
  }

  private boolean matchesWildcard(String path) {
    if (wildcards.isEmpty()) {
      return false;
    }
    comparisons.add(wildcards.size() + (long) innerWildcards * (path.length() / POSITIONS));
    for (Wildcard wildcard : wildcards) {
      if (wildcard.matches(path)) {
        return true;
      }
    }
    return false;
  }
}
