package dev.weir.admission;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Accounts for the bytes that requests in flight hold, up to a bound. Safe on any thread; never
 * blocks.
 */
public final class MemoryPool {
  private volatile long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong peakBytes = new AtomicLong();
  private final LongAdder rejections = new LongAdder();

  /** Creates a pool of which nothing is used. */
  public MemoryPool(long limitBytes) {
    this.limitBytes = requirePositive(limitBytes);
  }

  private static long requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: more than 0)");
    }
    return bytes;
  }

  public long usedBytes() {
    return usedBytes.get();
  }

  /** The largest use since the start. */
  public long peakBytes() {
    return peakBytes.get();
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** Changes the limit. Bytes that are used already stay. */
  public void limitBytes(long bytes) {
    limitBytes = requirePositive(bytes);
  }

  /** How often a reservation was rejected. */
  public long rejections() {
    return rejections.sum();
  }

  /**
   * Reserves bytes. The caller releases them once.
   *
   * @return false when fewer are free; nothing is reserved then
   */
  public boolean reserve(long bytes) {
    return reserve(bytes, 0);
  }

  /**
   * Reserves bytes if others stay free afterwards. The caller releases them once.
   *
   * @param leaving bytes that must stay free
   * @return false when fewer are free; nothing is reserved then
   */
  public boolean reserve(long bytes, long leaving) {
    boolean taken = tryReserve(bytes, leaving);
    if (!taken) {
      recordRejection();
    }
    return taken;
  }

  /**
   * Like {@link #reserve(long, long)}, but does not count a rejection: for callers that can do
   * without.
   */
  public boolean tryReserve(long bytes, long leaving) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    long before;
    do {
      before = usedBytes.get();
      if (bytes > limitBytes - before || leaving > limitBytes - before - bytes) {
        return false;
      }
    } while (!usedBytes.compareAndSet(before, before + bytes));
    updatePeak(before + bytes);
    return true;
  }

  /** Reserves bytes beyond the limit if need be. The caller releases them once. */
  public void forceReserve(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    updatePeak(usedBytes.addAndGet(bytes));
  }

  /** Counts a rejection of a reservation that is larger than the whole pool. */
  public void recordRejection() {
    rejections.increment();
  }

  private void updatePeak(long now) {
    if (now > peakBytes.get()) {
      peakBytes.accumulateAndGet(now, Math::max);
    }
  }

  /** Releases reserved bytes. */
  public void release(long bytes) {
    usedBytes.addAndGet(-bytes);
  }
}
