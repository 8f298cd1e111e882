package dev.weir.rest;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Finds newlines, eight bytes at a time. */
final class NewlineScanner {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long NEWLINES = 0x0A0A0A0A0A0A0A0AL;
  private static final long LOW_BITS = 0x0101010101010101L;
  private static final long HIGH_BITS = 0x8080808080808080L;

  private NewlineScanner() {}

  /** Returns the position of the next newline; -1 if there is none before {@code end}. */
  static int indexOf(byte[] bytes, int from, int end) {
    int i = from;
    for (; i <= end - Long.BYTES; i += Long.BYTES) {
      long differing = (long) LONG.get(bytes, i) ^ NEWLINES;
      long zeros = (differing - LOW_BITS) & ~differing & HIGH_BITS;
      if (zeros != 0) {
        return i + (Long.numberOfTrailingZeros(zeros) >>> 3);
      }
    }
    for (; i < end; i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }
}
