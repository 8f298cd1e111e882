package dev.weir.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.util.ArrayDeque;

/**
 * A pool of arrays for large frames. A pool of chunks would allocate a new array for nearly every
 * such frame; the JVM would zero it, and the collector might move it while the frame is held. Sizes
 * have four steps between powers of two, so that an array is at most a quarter larger than its
 * frame. Safe on any thread; its lock covers only arithmetic.
 */
final class FrameArrayPool {
  /** From this size on, in bytes, a frame has its own array. */
  static final int MIN_POOLED_BYTES = 64 << 10;

  /**
   * From this size on, in bytes, arrays are not pooled: collectors treat such large arrays
   * separately.
   */
  private static final int MAX_POOLED_BYTES = 2 << 20;

  private static final int STEPS = 4;

  private final long maxPooledBytes;
  private final ArrayDeque<byte[]>[] bySize;
  private long pooledBytes;

  /** The fewest bytes that were unused at once since the last {@link #trim}. */
  private long unneededBytes;

  /**
   * Creates a pool.
   *
   * @param maxPooledBytes the maximum bytes of unused arrays
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  FrameArrayPool(long maxPooledBytes) {
    this.maxPooledBytes = maxPooledBytes;
    this.bySize = new ArrayDeque[sizeClass(MAX_POOLED_BYTES) + 1];
    for (int i = 0; i < bySize.length; i++) {
      bySize[i] = new ArrayDeque<>();
    }
  }

  /** Returns true if frames of this size use the pool. */
  static boolean shouldPool(int bytes) {
    return bytes >= MIN_POOLED_BYTES && bytes < MAX_POOLED_BYTES;
  }

  /** Allocates an empty buffer with a capacity of exactly {@code bytes}. */
  ByteBuf allocate(int bytes, ByteBufAllocator allocator) {
    return new PooledHeapBuf(allocator, take(bytes)).slice(0, bytes).clear();
  }

  /** Returns the bytes of unused arrays. */
  synchronized long pooledBytes() {
    return pooledBytes;
  }

  private byte[] take(int bytes) {
    int at = sizeClass(bytes);
    synchronized (this) {
      byte[] array = bySize[at].pollLast();
      if (array != null) {
        removed(array);
        return array;
      }
    }
    return new byte[sizeOf(at)];
  }

  private void removed(byte[] array) {
    pooledBytes -= array.length;
    unneededBytes = Math.min(unneededBytes, pooledBytes);
  }

  /** Drops as many arrays as no frame has needed since the last call, to give memory back. */
  synchronized void trim() {
    long target = pooledBytes - unneededBytes;
    for (int at = findFullest(); at >= 0 && pooledBytes > target; at = findFullest()) {
      removed(bySize[at].removeFirst());
    }
    unneededBytes = pooledBytes;
  }

  private synchronized void recycle(byte[] array) {
    int own = sizeClass(array.length);
    while (pooledBytes + array.length > maxPooledBytes) {
      int fullest = findFullest();
      if (fullest < 0 || bytesOf(fullest) <= bytesOf(own)) {
        return;
      }
      removed(bySize[fullest].removeFirst());
    }
    pooledBytes += array.length;
    bySize[own].addLast(array);
  }

  /** Returns the size class with the most unused bytes; negative if all are empty. */
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

  /** Returns the smallest size class for an array of at least {@code bytes}. */
  static int sizeClass(int bytes) {
    int power =
        Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros((bytes - 1) / MIN_POOLED_BYTES));
    int base = power == 0 ? 0 : MIN_POOLED_BYTES << (power - 1);
    int step = power == 0 ? MIN_POOLED_BYTES : base / STEPS;
    return power == 0 ? 0 : 1 + (power - 1) * STEPS + (bytes - 1 - base) / step;
  }

  /** Returns the size of a class's arrays in bytes. */
  static int sizeOf(int sizeClass) {
    if (sizeClass == 0) {
      return MIN_POOLED_BYTES;
    }
    int base = MIN_POOLED_BYTES << ((sizeClass - 1) / STEPS);
    return base + ((sizeClass - 1) % STEPS + 1) * (base / STEPS);
  }

  /** A buffer that returns its array to the pool on release. */
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
