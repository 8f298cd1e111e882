package dev.weir.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Reads and searches eight bytes of an array as one long, the first byte lowest. */
public final class PackedBytes {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LOW_BITS = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long ZEROS = repeat('0');

  /** Added to a byte of ten or more, this sets the byte's highest bit. */
  private static final long ABOVE_NINE = 0x7676767676767676L;

  private PackedBytes() {}

  /** Reads eight bytes; all must lie within the array. */
  public static long readLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /** Writes eight bytes; all must lie within the array. */
  public static void writeLong(byte[] bytes, int at, long number) {
    LONG.set(bytes, at, number);
  }

  /** Returns a long with the same byte eight times. */
  public static long repeat(char ascii) {
    return ascii * LOW_BITS;
  }

  /**
   * Marks each zero byte by its highest bit. Bytes above the first zero byte may be marked wrongly.
   */
  public static long zeroByteMask(long number) {
    return (number - LOW_BITS) & ~number & HIGH_BITS;
  }

  /**
   * Marks each byte that is no ASCII digit by its highest bit. Bytes above the first such byte may
   * be marked wrongly.
   */
  public static long nonDigitMask(long text) {
    long digits = text ^ ZEROS;
    return ((digits + ABOVE_NINE) | digits) & HIGH_BITS;
  }

  /** Returns the number of bytes below the first marked one; 8 without a mark. */
  public static int bytesBelow(long bits) {
    return Long.numberOfTrailingZeros(bits) >> 3;
  }

  /** Returns the position of an ASCII character; -1 if it is not before {@code end}. */
  public static int indexOf(byte[] bytes, char ascii, int from, int end) {
    long pattern = repeat(ascii);
    int i = from;
    while (i <= end - 4 * Long.BYTES && !isInNextFour(bytes, pattern, i)) {
      i += 4 * Long.BYTES;
    }
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long zeros = zeroByteMask(readLong(bytes, i) ^ pattern);
      if (zeros != 0) {
        return i + bytesBelow(zeros);
      }
    }
    for (; i < end; i++) {
      if (bytes[i] == ascii) {
        return i;
      }
    }
    return -1;
  }

  /** Returns whether one of the next four longs has the pattern's byte. */
  private static boolean isInNextFour(byte[] bytes, long pattern, int at) {
    long found =
        zeroByteMask(readLong(bytes, at) ^ pattern)
            | zeroByteMask(readLong(bytes, at + Long.BYTES) ^ pattern)
            | zeroByteMask(readLong(bytes, at + 2 * Long.BYTES) ^ pattern)
            | zeroByteMask(readLong(bytes, at + 3 * Long.BYTES) ^ pattern);
    return found != 0;
  }

  /** Returns true if the bytes at two positions are equal. */
  public static boolean isEqual(byte[] one, int at, byte[] other, int otherAt, int length) {
    int last = length - Long.BYTES;
    if (last < 0) {
      return isEqualShort(one, at, other, otherAt, length);
    }
    for (int i = 0; i < last; i += Long.BYTES) {
      if (readLong(one, at + i) != readLong(other, otherAt + i)) {
        return false;
      }
    }
    return readLong(one, at + last) == readLong(other, otherAt + last);
  }

  private static boolean isEqualShort(byte[] one, int at, byte[] other, int otherAt, int length) {
    for (int i = 0; i < length; i++) {
      if (one[at + i] != other[otherAt + i]) {
        return false;
      }
    }
    return true;
  }
}
