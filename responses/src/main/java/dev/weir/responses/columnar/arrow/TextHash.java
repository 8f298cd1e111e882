package dev.weir.responses.columnar.arrow;

import dev.weir.model.PackedBytes;
import org.apache.lucene.util.StringHelper;

/**
 * Hashes text, eight bytes at a time. The factor is random in each process, so that nobody can
 * prepare colliding texts; both halves of the product enter the hash.
 */
final class TextHash {
  private static final long FACTOR =
      ((StringHelper.GOOD_FAST_HASH_SEED * 0x9E3779B97F4A7C15L) ^ 0x5851F42D4C957F2DL) | 1;

  private TextHash() {}

  static long hash(byte[] text, int from, int length) {
    int last = length - Long.BYTES;
    if (last < 0) {
      return mix(hashShort(text, from, length), length);
    }
    long hash = length;
    for (int i = 0; i < last; i += Long.BYTES) {
      hash = mix(PackedBytes.readLong(text, from + i), hash);
    }
    return mix(PackedBytes.readLong(text, from + last), hash);
  }

  /** Returns fewer than eight bytes as a number. */
  private static long hashShort(byte[] text, int from, int length) {
    long few = 0;
    for (int i = 0; i < length; i++) {
      few = few << Byte.SIZE | (text[from + i] & 0xff);
    }
    return few;
  }

  private static long mix(long eight, long hash) {
    long both = eight ^ hash;
    return Math.unsignedMultiplyHigh(both, FACTOR) ^ (both * FACTOR);
  }
}
