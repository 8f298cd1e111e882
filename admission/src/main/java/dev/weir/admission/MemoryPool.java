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

  /** Makes a ledger with nothing held. */
  public MemoryPool(long limitBytes) {
    this.limitBytes = requirePositive(limitBytes);
  }

  private static long requirePositive(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: more than 0)");
    }
    return bytes;
  }

  /** Bytes held now. */
  public long usedBytes() {
    return usedBytes.get();
  }

  /** The most that was ever held. */
  public long peakBytes() {
    return peakBytes.get();
  }

  /** The most that may be held. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Changes the most that may be held; what is held already stays. */
  public void limitBytes(long bytes) {
    limitBytes = requirePositive(bytes);
  }

  /** How often more was asked for than there is. */
  public long rejections() {
    return rejections.sum();
  }

  /**
   * Takes bytes; whoever took them gives them back once.
   *
   * @return false when there is not that much left; nothing is taken then
   */
  public boolean reserve(long bytes) {
    return reserve(bytes, 0);
  }

  /**
   * Takes bytes if so many are left then; whoever took them gives them back once.
   *
   * @return false when there is not that much left; nothing is taken then
   */
  public boolean reserve(long bytes, long leaving) {
    boolean taken = tryReserve(bytes, leaving);
    if (!taken) {
      recordRejection();
    }
    return taken;
  }

  /** Like {@link #reserve(long, long)}, for whoever can do without: not counted as refused. */
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

  /** Takes bytes whether there are so many left or not; whoever took them gives them back once. */
  public void forceReserve(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    updatePeak(usedBytes.addAndGet(bytes));
  }

  /** Counts something as refused that was more than there is at all. */
  public void recordRejection() {
    rejections.increment();
  }

  private void updatePeak(long now) {
    if (now > peakBytes.get()) {
      peakBytes.accumulateAndGet(now, Math::max);
    }
  }

  /** Gives bytes back that were taken. */
  public void release(long bytes) {
    usedBytes.addAndGet(-bytes);
  }
}
