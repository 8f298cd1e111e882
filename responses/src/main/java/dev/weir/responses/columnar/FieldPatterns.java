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

  /** Bounds the time of all comparisons, most of which end at the first character. */
  static final int MAX_COMPARISONS = 10_000_000;

  private final TreeSet<String> entries = new TreeSet<>();
  private final List<Wildcard> wildcards = new ArrayList<>();
  private final boolean coversObjects;
  private long comparisons;

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

  private FieldPatterns(Collection<String> entries, boolean coversObjects) {
    this.coversObjects = coversObjects;
    for (String entry : entries) {
      if (this.entries.add(entry) && entry.indexOf('*') >= 0) {
        wildcards.add(Wildcard.of(entry));
        if (coversObjects && !entry.endsWith("*")) {
          wildcards.add(Wildcard.of(entry + ".*"));
        }
      }
    }
  }

  /** Creates patterns that select fields by their paths. */
  static FieldPatterns ofFields(Collection<String> patterns) {
    return new FieldPatterns(patterns, false);
  }

  /**
   * Creates patterns that select parts of documents: a field, what is below it, and the objects
   * around it.
   */
  static FieldPatterns ofDocument(String[] patterns) {
    return new FieldPatterns(List.of(patterns), true);
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
    comparisons += wildcards.size();
    if (comparisons > MAX_COMPARISONS) {
      throw new IllegalArgumentException(
          "got too many names of fields with [*] for as many mapped fields (expected: fewer; name"
              + " the fields without [*])");
    }
    for (Wildcard wildcard : wildcards) {
      if (wildcard.matches(path)) {
        return true;
      }
    }
    return false;
  }
}
