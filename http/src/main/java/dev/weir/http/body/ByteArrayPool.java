package dev.weir.http.body;

import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;

/**
 * Reuses arrays for request bodies on one event loop. An array that is not returned is collected as
 * garbage; this is how a body outlives its request while another thread may still read it. Confined
 * to its event loop.
 */
final class ByteArrayPool {

  /** Arrays up to this length are not pooled: plain allocation is faster. */
  private static final int MIN_POOLED_LENGTH = 8 << 10;

  /** Arrays above this length are not pooled, and exactly as long as requested. */
  private static final int MAX_POOLED_LENGTH = 4 << 20;

  /**
   * The most bytes that one event loop keeps; all event loops together keep a sixteenth of the
   * heap.
   */
  private static final int MAX_POOLED_BYTES =
      (int)
          Math.min(
              16 << 20,
              Runtime.getRuntime().maxMemory()
                  / (16L * Runtime.getRuntime().availableProcessors()));

  /**
   * Size classes between a power of two and the next; they leave at most a quarter of an array
   * unused.
   */
  private static final int STEPS_PER_DOUBLING = 4;

  private static final int SIZE_CLASSES =
      STEPS_PER_DOUBLING
          * (Integer.numberOfTrailingZeros(MAX_POOLED_LENGTH)
              - Integer.numberOfTrailingZeros(MIN_POOLED_LENGTH));

  private static final FastThreadLocal<ByteArrayPool> PER_LOOP =
      new FastThreadLocal<>() {
        @Override
        protected ByteArrayPool initialValue() {
          return new ByteArrayPool();
        }
      };

  private final ArrayDeque<byte[]>[] free;
  private int pooledBytes;

  /** The fewest bytes that were pooled at once since the last {@link #trim}. */
  private int unneededBytes;

  @SuppressWarnings({"unchecked", "rawtypes"})
  ByteArrayPool() {
    free = new ArrayDeque[SIZE_CLASSES];
    for (int i = 0; i < SIZE_CLASSES; i++) {
      free[i] = new ArrayDeque<>(4);
    }
  }

  /** Returns the pool of the current event loop. */
  static ByteArrayPool current() {
    return PER_LOOP.get();
  }

  /** Returns the length of the array that {@link #acquire} returns for this size. */
  static int lengthFor(int size) {
    if (size <= MIN_POOLED_LENGTH || size > MAX_POOLED_LENGTH) {
      return size;
    }
    int step = Integer.highestOneBit(size - 1) / STEPS_PER_DOUBLING;
    return (size + step - 1) / step * step;
  }

  /** Returns an array of at least {@code size} bytes with arbitrary content. */
  byte[] acquire(int size) {
    int length = lengthFor(size);
    if (length <= MIN_POOLED_LENGTH || length > MAX_POOLED_LENGTH) {
      return new byte[length];
    }
    byte[] array = free[sizeClass(length)].pollLast();
    if (array == null) {
      return new byte[length];
    }
    pooledBytes -= length;
    unneededBytes = Math.min(unneededBytes, pooledBytes);
    return array;
  }

  /** Takes back an array that nothing reads any more. */
  void release(byte[] array) {
    int length = array.length;
    if (length <= MIN_POOLED_LENGTH
        || length > MAX_POOLED_LENGTH
        || length != lengthFor(length)
        || pooledBytes + length > MAX_POOLED_BYTES) {
      return;
    }
    pooledBytes += length;
    free[sizeClass(length)].addLast(array);
  }

  /** Drops as many bytes as no body has needed since the last call, to give memory back. */
  void trim() {
    int target = pooledBytes - unneededBytes;
    for (int i = SIZE_CLASSES - 1; i >= 0; i--) {
      while (pooledBytes > target && !free[i].isEmpty()) {
        pooledBytes -= free[i].removeFirst().length;
      }
    }
    unneededBytes = pooledBytes;
  }

  /** Returns the number of pooled bytes. */
  int pooledBytes() {
    return pooledBytes;
  }

  /** Returns the size class of a length above {@link #MIN_POOLED_LENGTH}, from 0. */
  private static int sizeClass(int length) {
    int power = Integer.highestOneBit(length - 1);
    int doublings =
        Integer.numberOfTrailingZeros(power) - Integer.numberOfTrailingZeros(MIN_POOLED_LENGTH);
    return doublings * STEPS_PER_DOUBLING + (length - power) / (power / STEPS_PER_DOUBLING) - 1;
  }
}
