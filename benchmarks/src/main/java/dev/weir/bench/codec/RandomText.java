package dev.weir.bench.codec;

import java.util.SplittableRandom;

/**
 * Picks words as texts do: few are frequent, most are rare (Zipf's law). The vocabulary is the same
 * in each run.
 */
final class RandomText {
  private static final String[] SYLLABLES = {
    "ba", "con", "de", "er", "for", "ga", "hin", "in", "ju", "ka", "lo", "men", "no", "or", "pre",
    "qui", "re", "sta", "ter", "un", "ver", "wi", "xe", "yo", "zen", "tion", "al", "ble", "ing",
    "ly", "mo", "su", "tra", "ex", "pro", "com"
  };
  private static final int WORDS = 6000;
  private static final String[] VOCABULARY = vocabulary();

  private RandomText() {}

  private static String[] vocabulary() {
    SplittableRandom random = new SplittableRandom(42);
    String[] words = new String[WORDS];
    for (int i = 0; i < WORDS; i++) {
      // Frequent words are short.
      int syllables = 1 + (int) (Math.log(i + 1.0) / Math.log(WORDS) * 2) + random.nextInt(2);
      StringBuilder word = new StringBuilder();
      for (int s = 0; s < syllables; s++) {
        word.append(SYLLABLES[random.nextInt(SYLLABLES.length)]);
      }
      words[i] = word.toString();
    }
    return words;
  }

  /** Returns a rank below {@code n}; rank r comes about 1/(r+1) as often as rank 0. */
  static int rank(SplittableRandom random, int n) {
    return (int) (Math.pow(n + 1.0, random.nextDouble()) - 1);
  }

  static String word(SplittableRandom random) {
    return VOCABULARY[rank(random, WORDS)];
  }

  /** Returns words separated by spaces, with full stops. */
  static String words(SplittableRandom random, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(word(random));
      text.append(i == count - 1 || random.nextInt(12) == 0 ? ". " : " ");
    }
    return text.toString().strip();
  }

  /** Returns so many random hexadecimal digits. */
  static String hex(SplittableRandom random, int digits) {
    StringBuilder hex = new StringBuilder(digits);
    for (int i = 0; i < digits; i++) {
      hex.append(Character.forDigit(random.nextInt(16), 16));
    }
    return hex.toString();
  }

  static String pick(SplittableRandom random, String... values) {
    return values[rank(random, values.length)];
  }
}
