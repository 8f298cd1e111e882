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
final class FrameArrays {
  /** From this size on a frame has an array of its own, in bytes. */
  static final int LARGE = 64 << 10;

  /** From this size on nothing is kept: collectors treat such arrays apart. */
  private static final int TOO_LARGE = 2 << 20;

  private static final int STEPS = 4;

  private final long mostKept;
  private final ArrayDeque<byte[]>[] bySize;
  private long kept;

  /**
   * Makes it.
   *
   * @param mostKept bytes that are kept while nobody uses them
   */
  @SuppressWarnings({"unchecked", "rawtypes"})
  FrameArrays(long mostKept) {
    this.mostKept = mostKept;
    this.bySize = new ArrayDeque[sizeClass(TOO_LARGE) + 1];
    for (int i = 0; i < bySize.length; i++) {
      bySize[i] = new ArrayDeque<>();
    }
  }

  /** Whether frames of so many bytes are for this. */
  static boolean isFor(int bytes) {
    return bytes >= LARGE && bytes < TOO_LARGE;
  }

  /** An empty buffer with room for exactly so many bytes. */
  ByteBuf buffer(int bytes, ByteBufAllocator allocator) {
    return new Reused(allocator, take(bytes)).slice(0, bytes).clear();
  }

  /** Bytes that are kept for frames to come. */
  synchronized long kept() {
    return kept;
  }

  private byte[] take(int bytes) {
    int at = sizeClass(bytes);
    synchronized (this) {
      byte[] array = bySize[at].pollLast();
      if (array != null) {
        kept -= array.length;
        return array;
      }
    }
    return new byte[sizeOf(at)];
  }

  private synchronized void keep(byte[] array) {
    int own = sizeClass(array.length);
    while (kept + array.length > mostKept) {
      int fullest = fullest();
      if (fullest < 0 || bytesOf(fullest) <= bytesOf(own)) {
        return;
      }
      kept -= bySize[fullest].removeFirst().length;
    }
    kept += array.length;
    bySize[own].addLast(array);
  }

  /** The class that keeps most bytes; negative when none keeps any. */
  private int fullest() {
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
    int power = Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros((bytes - 1) / LARGE));
    int base = power == 0 ? 0 : LARGE << (power - 1);
    int step = power == 0 ? LARGE : base / STEPS;
    return power == 0 ? 0 : 1 + (power - 1) * STEPS + (bytes - 1 - base) / step;
  }

  /** The size of a class's arrays, in bytes. */
  static int sizeOf(int sizeClass) {
    if (sizeClass == 0) {
      return LARGE;
    }
    int base = LARGE << ((sizeClass - 1) / STEPS);
    return base + ((sizeClass - 1) % STEPS + 1) * (base / STEPS);
  }

  /** Gives its array back when nobody uses it any more. */
  private final class Reused extends UnpooledHeapByteBuf {
    Reused(ByteBufAllocator allocator, byte[] array) {
      super(allocator, array, array.length);
    }

    @Override
    protected void freeArray(byte[] array) {
      keep(array);
    }
  }
}
