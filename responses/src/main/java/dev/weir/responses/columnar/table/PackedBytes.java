package dev.weir.responses.columnar.table;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Eight bytes of an array as one number, the first byte being the lowest. */
public final class PackedBytes {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long LOW_BITS = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;
  private static final long ZEROS = repeat('0');

  /** What makes the highest bit of a byte that is ten or more, if added to it. */
  private static final long ABOVE_NINE = 0x7676767676767676L;

  private PackedBytes() {}

  /** Reads eight bytes, all of which are in the array. */
  public static long readLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  /** Writes eight bytes, for all of which the array has room. */
  public static void writeLong(byte[] bytes, int at, long number) {
    LONG.set(bytes, at, number);
  }

  /** A number with the same byte eight times. */
  public static long repeat(char ascii) {
    return ascii * LOW_BITS;
  }

  /**
   * The highest bit of each byte that is zero; of others as well, but only above one that is zero.
   */
  public static long zeroByteMask(long number) {
    return (number - LOW_BITS) & ~number & HIGH_BITS;
  }

  /**
   * The highest bit of each byte that is no digit in ASCII; of others as well, but only above one
   * that is none.
   */
  public static long nonDigitMask(long text) {
    long digits = text ^ ZEROS;
    return ((digits + ABOVE_NINE) | digits) & HIGH_BITS;
  }

  /** How many bytes lie below the first one of which there is a bit; 8 where there is none. */
  public static int bytesBelow(long bits) {
    return Long.numberOfTrailingZeros(bits) >> 3;
  }

  /** Whether two arrays hold the same bytes at two places. */
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
