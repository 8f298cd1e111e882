package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Longs;
import org.apache.lucene.util.StringHelper;

/**
 * Hashes text, eight bytes at a time. Which texts collide depends on a factor that each process has
 * for itself, since both halves of the product count.
 */
final class WordHash {
  private static final long FACTOR =
      ((StringHelper.GOOD_FAST_HASH_SEED * 0x9E3779B97F4A7C15L) ^ 0x5851F42D4C957F2DL) | 1;

  private WordHash() {}

  /** The hash of so many bytes. */
  static long of(byte[] text, int from, int length) {
    int last = length - Long.BYTES;
    if (last < 0) {
      return mixed(few(text, from, length), length);
    }
    long hash = length;
    for (int i = 0; i < last; i += Long.BYTES) {
      hash = mixed(Longs.at(text, from + i), hash);
    }
    return mixed(Longs.at(text, from + last), hash);
  }

  /** Less than eight bytes as a number. */
  private static long few(byte[] text, int from, int length) {
    long few = 0;
    for (int i = 0; i < length; i++) {
      few = few << Byte.SIZE | (text[from + i] & 0xff);
    }
    return few;
  }

  private static long mixed(long eight, long hash) {
    long both = eight ^ hash;
    return Math.unsignedMultiplyHigh(both, FACTOR) ^ (both * FACTOR);
  }
}
