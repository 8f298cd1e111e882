package dev.weir.advice.check;

/** Reads numbers of settings. */
final class Numbers {
  private Numbers() {}

  /** Parses a whole number; returns the other one if the text is none. */
  static long parse(String text, long other) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return other;
    }
  }
}
