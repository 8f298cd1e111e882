package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.ArrayDeque;

/**
 * Arrays for large frames, used again: a pool of chunks would make a new one for nearly each of
 * them, to be zeroed, and moved by the collector while the frame is held. Sizes are of four steps
 * between powers of two, so that an array is at most a quarter larger than its frame. Safe on any
 * thread; its lock is held for arithmetic alone.
 */
final class FrameArrayPool {
  /** From this size on a frame has an array of its own, in bytes. */
  static final int MIN_POOLED_BYTES = 64 << 10;

  /** From this size on nothing is kept: collectors treat such arrays apart. */
  private static final int MAX_POOLED_BYTES = 2 << 20;

  private static final int STEPS = 4;

  private final long maxPooledBytes;
  private final ArrayDeque<byte[]>[] bySize;
  private long pooledBytes;

  /**
   * Makes it.
   *
   * @param mostKept bytes that are kept while nobody uses them
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  FrameArrayPool(long mostKept) {
    this.maxPooledBytes = mostKept;
    this.bySize = new ArrayDeque[sizeClass(MAX_POOLED_BYTES) + 1];
    for (int i = 0; i < bySize.length; i++) {
      bySize[i] = new ArrayDeque<>();
    }
  }

  /** Whether frames of so many bytes are for this. */
  static boolean shouldPool(int bytes) {
    return bytes >= MIN_POOLED_BYTES && bytes < MAX_POOLED_BYTES;
  }

  /** An empty buffer with room for exactly so many bytes. */
  ByteBuf allocate(int bytes, ByteBufAllocator allocator) {
    return new PooledHeapBuf(allocator, take(bytes)).slice(0, bytes).clear();
  }

  /** Bytes that are kept for frames to come. */
  synchronized long pooledBytes() {
    return pooledBytes;
  }

  private byte[] take(int bytes) {
    int at = sizeClass(bytes);
    synchronized (this) {
      byte[] array = bySize[at].pollLast();
      if (array != null) {
        pooledBytes -= array.length;
        return array;
      }
    }
    return new byte[sizeOf(at)];
  }

  private synchronized void recycle(byte[] array) {
    int own = sizeClass(array.length);
    while (pooledBytes + array.length > maxPooledBytes) {
      int fullest = findFullest();
      if (fullest < 0 || bytesOf(fullest) <= bytesOf(own)) {
        return;
      }
      pooledBytes -= bySize[fullest].removeFirst().length;
    }
    pooledBytes += array.length;
    bySize[own].addLast(array);
  }

  /** The class that keeps most bytes; negative when none keeps any. */
  private int findFullest() {
    int fullest = -1;
    for (int i = 0; i < bySize.length; i++) {
      if (!bySize[i].isEmpty() && (fullest < 0 || bytesOf(i) > bytesOf(fullest))) {
        fullest = i;
      }
    }
    return fullest;
  }

  private long bytesOf(int sizeClass) {
    return (long) bySize[sizeClass].size() * sizeOf(sizeClass);
  }

  /** The smallest class that has room. */
  static int sizeClass(int bytes) {
    int power =
        Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros((bytes - 1) / MIN_POOLED_BYTES));
    int base = power == 0 ? 0 : MIN_POOLED_BYTES << (power - 1);
    int step = power == 0 ? MIN_POOLED_BYTES : base / STEPS;
    return power == 0 ? 0 : 1 + (power - 1) * STEPS + (bytes - 1 - base) / step;
  }

  /** The size of a class's arrays, in bytes. */
  static int sizeOf(int sizeClass) {
    if (sizeClass == 0) {
      return MIN_POOLED_BYTES;
    }
    int base = MIN_POOLED_BYTES << ((sizeClass - 1) / STEPS);
    return base + ((sizeClass - 1) % STEPS + 1) * (base / STEPS);
  }

  /** Gives its array back when nobody uses it any more. */
  private final class PooledHeapBuf extends UnpooledHeapByteBuf {
    PooledHeapBuf(ByteBufAllocator allocator, byte[] array) {
      super(allocator, array, array.length);
    }

    @Override
    protected void freeArray(byte[] array) {
      recycle(array);
    }
  }
}
