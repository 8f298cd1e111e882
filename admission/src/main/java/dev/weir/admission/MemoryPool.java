package dev.weir.admission;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the bytes that requests in flight hold, up to a limit. Safe on any thread; never blocks.
 */
public final class MemoryPool {
  private volatile long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();
  private final AtomicLong peakBytes = new AtomicLong();
  private final LongAdder rejections = new LongAdder();
  private volatile Runnable releaseListener = () -> {};

  /** Creates an unused pool. */
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

  /** Returns the largest number of used bytes since the start. */
  public long peakBytes() {
    return peakBytes.get();
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** Changes the limit. Bytes that are already reserved stay reserved. */
  public void setLimitBytes(long bytes) {
    limitBytes = requirePositive(bytes);
    releaseListener.run();
  }

  /** Sets a listener that runs after each release and each new limit, on the caller's thread. */
  public void setReleaseListener(Runnable listener) {
    releaseListener = listener;
  }

  /** Returns the number of rejected reservations. */
  public long rejections() {
    return rejections.sum();
  }

  /**
   * Reserves bytes. The caller releases them once.
   *
   * @return false when fewer bytes are free; nothing is reserved then
   */
  public boolean reserve(long bytes) {
    return reserve(bytes, 0);
  }

  /**
   * Reserves bytes if {@code leaving} bytes stay free afterwards. The caller releases them once.
   *
   * @return false when fewer bytes are free; nothing is reserved then
   */
  public boolean reserve(long bytes, long leaving) {
    boolean taken = tryReserve(bytes, leaving);
    if (!taken) {
      recordRejection();
    }
    return taken;
  }

  /**
   * Reserves like {@link #reserve(long, long)}, but counts no rejection: for callers that have an
   * alternative.
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

  /** Reserves bytes, beyond the limit if necessary. The caller releases them once. */
  public void forceReserve(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    updatePeak(usedBytes.addAndGet(bytes));
  }

  /** Counts the rejection of a reservation that exceeds the whole pool. */
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
    releaseListener.run();
  }
}
