package dev.weir.http;

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

  /** What one event loop keeps at most, in bytes: all of them together a sixteenth of the heap. */
  private static final int KEPT =
      (int)
          Math.min(
              16 << 20,
              Runtime.getRuntime().maxMemory()
                  / (16L * Runtime.getRuntime().availableProcessors()));

  /** Sizes between a power of two and the next: at most a quarter of an array is unused. */
  private static final int STEPS = 4;

  private static final int CLASSES =
      STEPS * (Integer.numberOfTrailingZeros(LARGEST) - Integer.numberOfTrailingZeros(SMALLEST));

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

  /** The length of the array that {@link #take} gives for this size. */
  static int lengthFor(int size) {
    if (size <= SMALLEST || size > LARGEST) {
      return size;
    }
    int step = Integer.highestOneBit(size - 1) / STEPS;
    return (size + step - 1) / step * step;
  }

  /** An array of at least {@code size} bytes, with any content. */
  byte[] take(int size) {
    int length = lengthFor(size);
    if (length <= SMALLEST || length > LARGEST) {
      return new byte[length];
    }
    byte[] array = free[classOf(length)].pollLast();
    if (array == null) {
      return new byte[length];
    }
    kept -= length;
    return array;
  }

  /** Takes an array back that nobody reads any more. */
  void give(byte[] array) {
    int length = array.length;
    if (length <= SMALLEST
        || length > LARGEST
        || length != lengthFor(length)
        || kept + length > KEPT) {
      return;
    }
    kept += length;
    free[classOf(length)].addLast(array);
  }

  /** Bytes kept for later. */
  int kept() {
    return kept;
  }

  /** Numbers the lengths above {@link #SMALLEST}, from 0. */
  private static int classOf(int length) {
    int power = Integer.highestOneBit(length - 1);
    int doublings = Integer.numberOfTrailingZeros(power) - Integer.numberOfTrailingZeros(SMALLEST);
    return doublings * STEPS + (length - power) / (power / STEPS) - 1;
  }
}
