package dev.weir.responses.columnar.arrow;

import dev.weir.model.PackedBytes;

/**
 * Parses up to eight ASCII digits in one long, with the first digit in the lowest byte. It computes
 * with all digits at once, so that its time does not depend on their count.
 */
final class AsciiDigits {
  /** Added to a byte of ten or more, this sets the byte's highest bit. */
  static final char ABOVE_NINE_BIAS = 0x76;

  private static final long ZEROS = PackedBytes.repeat('0');
  private static final long ABOVE_NINES = PackedBytes.repeat(ABOVE_NINE_BIAS);
  private static final long HIGH_BITS = 0x8080808080808080L;

  /** Selects the first and the fifth byte. */
  private static final long PAIRS = 0x000000FF000000FFL;

  private static final long FIRST_PAIRS = 100 + (1_000_000L << 32);
  private static final long SECOND_PAIRS = 1 + (10_000L << 32);

  private AsciiDigits() {}

  /**
   * Parses the first bytes as a number.
   *
   * @param count the number of digits, 1 to 8
   * @return -1 if one of them is no digit
   */
  static long parse(long text, int count) {
    long digits = (text ^ ZEROS) << (Byte.SIZE * (Long.BYTES - count)); // fills up with zeros
    if (!isBelow128(digits, ABOVE_NINES)) {
      return -1;
    }
    long pairs = combinePairs(digits);
    return ((pairs & PAIRS) * FIRST_PAIRS + (pairs >>> 16 & PAIRS) * SECOND_PAIRS) >>> 32;
  }

  /** Computes, in each byte, the number of the two digits that start there. */
  static long combinePairs(long digits) {
    return digits * 10 + (digits >>> Byte.SIZE);
  }

  /** Returns true if every byte stays below 128 after the addition. */
  static boolean isBelow128(long bytes, long added) {
    return (((bytes + added) | bytes) & HIGH_BITS) == 0;
  }
}
