package dev.weir.config.load;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Suggests the intended word for a misspelt one. */
final class SpellingSuggester {
  private SpellingSuggester() {}

  /** Returns a hint with the closest candidate; empty if none is close. */
  static String suggest(String word, Collection<String> candidates) {
    return closest(word, candidates).map(found -> "did you mean '" + found + "'?").orElse("");
  }

  private static Optional<String> closest(String word, Collection<String> candidates) {
    String typed = normalize(word);
    int maxEdits = Math.max(1, typed.length() / 3);
    return candidates.stream()
        .filter(candidate -> distance(typed, normalize(candidate)) <= maxEdits)
        .min(Comparator.comparingInt(candidate -> distance(typed, normalize(candidate))));
  }

  private static String normalize(String word) {
    return word.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /** Returns the number of edits (insert, delete, replace, swap neighbours) between two words. */
  static int distance(String a, String b) {
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          edits[i][j] = i + j;
          continue;
        }
        int replace = edits[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        int best = Math.min(replace, Math.min(edits[i - 1][j], edits[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          best = Math.min(best, edits[i - 2][j - 2] + 1);
        }
        edits[i][j] = best;
      }
    }
    return edits[a.length()][b.length()];
  }
}
