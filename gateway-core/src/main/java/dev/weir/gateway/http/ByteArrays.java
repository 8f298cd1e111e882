package dev.weir.gateway.http;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;

/**
 * Arrays for request bodies, used again on the same event loop. An array that is never given back
 * is simply garbage: that is how a body outlives a client that went away while somebody may still
 * read it.
 */
final class ByteArrays {

  /** Arrays up to this size are made anew: the allocator is faster than any pool. */
  private static final int SMALLEST = 8 << 10;

  /** Arrays above this size are made anew, exactly as large as needed. */
  private static final int LARGEST = 4 << 20;

  /** What one event loop keeps at most, in bytes. */
  private static final int KEPT = 16 << 20;

  private static final int CLASSES =
      Integer.numberOfTrailingZeros(LARGEST) - Integer.numberOfTrailingZeros(SMALLEST);

  private static final FastThreadLocal<ByteArrays> OF_LOOP =
      new FastThreadLocal<>() {
        @Override
        protected ByteArrays initialValue() {
          return new ByteArrays();
        }
      };

  private final ArrayDeque<byte[]>[] free;
  private int kept;

  @SuppressWarnings({"unchecked", "rawtypes"})
  ByteArrays() {
    free = new ArrayDeque[CLASSES];
    for (int i = 0; i < CLASSES; i++) {
      free[i] = new ArrayDeque<>(4);
    }
  }

  /** Those of the current event loop. */
  static ByteArrays current() {
    return OF_LOOP.get();
  }

  /** An array of at least {@code size} bytes, with any content. */
  byte[] take(int size) {
    if (size <= SMALLEST || size > LARGEST) {
      return new byte[size];
    }
    int index = classOf(size);
    byte[] array = free[index].pollLast();
    if (array == null) {
      return new byte[SMALLEST << (index + 1)];
    }
    kept -= array.length;
    return array;
  }

  /** Takes an array back that nobody reads any more. */
  void give(byte[] array) {
    int size = array.length;
    if (size <= SMALLEST || size > LARGEST || Integer.bitCount(size) != 1 || kept + size > KEPT) {
      return;
    }
    kept += size;
    free[classOf(size)].addLast(array);
  }

  /** Bytes kept for later. */
  int kept() {
    return kept;
  }

  /** 0 for up to twice {@link #SMALLEST}, 1 for up to four times, and so on. */
  private static int classOf(int size) {
    return Integer.SIZE
        - Integer.numberOfLeadingZeros(size - 1)
        - Integer.numberOfTrailingZeros(SMALLEST)
        - 1;
  }
}
