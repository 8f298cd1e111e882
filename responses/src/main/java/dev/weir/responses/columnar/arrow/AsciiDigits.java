package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.PackedBytes;

/**
 * Digits in ASCII, up to eight of them in a number whose lowest byte is the first one. What is
 * computed of all of them at once takes the same time for each count.
 */
final class AsciiDigits {
  /** What makes the highest bit of a byte that is ten or more, if added to it. */
  static final char ABOVE_NINE_BIAS = 0x76;

  private static final long ZEROS = PackedBytes.repeat('0');
  private static final long ABOVE_NINES = PackedBytes.repeat(ABOVE_NINE_BIAS);
  private static final long HIGH_BITS = 0x8080808080808080L;

  /** The first and the fifth byte. */
  private static final long PAIRS = 0x000000FF000000FFL;

  private static final long FIRST_PAIRS = 100 + (1_000_000L << 32);
  private static final long SECOND_PAIRS = 1 + (10_000L << 32);

  private AsciiDigits() {}

  /**
   * The number that the first bytes are.
   *
   * @param count how many, from one to eight
   * @return -1 where there is something else among them
   */
  static long parse(long text, int count) {
    long digits = (text ^ ZEROS) << (Byte.SIZE * (Long.BYTES - count)); // zeros come first
    if (!isBelow128(digits, ABOVE_NINES)) {
      return -1;
    }
    long pairs = combinePairs(digits);
    return ((pairs & PAIRS) * FIRST_PAIRS + (pairs >>> 16 & PAIRS) * SECOND_PAIRS) >>> 32;
  }

  /** Of digits, in each byte the number of two digits that begins there. */
  static long combinePairs(long digits) {
    return digits * 10 + (digits >>> Byte.SIZE);
  }

  /** Whether no byte and what is added to it comes to 128 or more. */
  static boolean isBelow128(long bytes, long added) {
    return (((bytes + added) | bytes) & HIGH_BITS) == 0;
  }
}
