package dev.weir.admission.head;

/** Patterns in which {@code *} matches any text, also an empty one. */
public final class GlobPatterns {
  private GlobPatterns() {}

  /**
   * Returns whether some name matches both patterns. If one is a plain name: whether the other
   * matches it. Takes time proportional to the product of the lengths, which are bounded.
   */
  public static boolean canOverlap(String one, String other) {
    boolean plainOne = one.indexOf('*') < 0;
    boolean plainOther = other.indexOf('*') < 0;
    if (plainOne && plainOther) {
      return one.equals(other);
    }
    // can[j]: some text matches the part of one read so far and the first j characters of other
    boolean[] can = new boolean[other.length() + 1];
    can[0] = true;
    skipEmptyStars(can, other);
    for (int i = 0; i < one.length(); i++) {
      can = one.charAt(i) == '*' ? advanceStar(can) : advanceCharacter(can, one.charAt(i), other);
    }
    return can[other.length()];
  }

  /** Lets a star of {@code one} match any number of characters of {@code other}. */
  private static boolean[] advanceStar(boolean[] can) {
    boolean[] next = new boolean[can.length];
    boolean reached = false;
    for (int j = 0; j < can.length; j++) {
      reached |= can[j];
      next[j] = reached;
    }
    return next;
  }

  private static boolean[] advanceCharacter(boolean[] can, char c, String other) {
    boolean[] next = new boolean[can.length];
    for (int j = 0; j < other.length(); j++) {
      char d = other.charAt(j);
      if (d == '*') {
        next[j] |= can[j]; // the star matches the character
      } else if (d == c) {
        next[j + 1] |= can[j];
      }
    }
    skipEmptyStars(next, other);
    return next;
  }

  /** Lets a star of {@code other} match nothing. */
  private static void skipEmptyStars(boolean[] can, String other) {
    for (int j = 0; j < other.length(); j++) {
      if (other.charAt(j) == '*' && can[j]) {
        can[j + 1] = true;
      }
    }
  }
}
