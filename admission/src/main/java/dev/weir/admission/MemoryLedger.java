package dev.weir.admission;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Accounts for the bytes that requests in flight hold, up to a bound. Safe on any thread; never
 * blocks.
 */
public final class MemoryLedger {
  private volatile long limitBytes;
  private final AtomicLong held = new AtomicLong();
  private final AtomicLong peak = new AtomicLong();
  private final LongAdder refused = new LongAdder();

  /** Makes a ledger with nothing held. */
  public MemoryLedger(long limitBytes) {
    this.limitBytes = checked(limitBytes);
  }

  private static long checked(long bytes) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: more than 0)");
    }
    return bytes;
  }

  /** Bytes held now. */
  public long held() {
    return held.get();
  }

  /** The most that was ever held. */
  public long peak() {
    return peak.get();
  }

  /** The most that may be held. */
  public long limitBytes() {
    return limitBytes;
  }

  /** Changes the most that may be held; what is held already stays. */
  public void limitBytes(long bytes) {
    limitBytes = checked(bytes);
  }

  /** How often more was asked for than there is. */
  public long refused() {
    return refused.sum();
  }

  /**
   * Takes bytes; whoever took them gives them back once.
   *
   * @return false when there is not that much left; nothing is taken then
   */
  public boolean take(long bytes) {
    return take(bytes, 0);
  }

  /**
   * Takes bytes if so many are left then; whoever took them gives them back once.
   *
   * @return false when there is not that much left; nothing is taken then
   */
  public boolean take(long bytes, long leaving) {
    boolean taken = tryTake(bytes, leaving);
    if (!taken) {
      refuse();
    }
    return taken;
  }

  /** Like {@link #take(long, long)}, for whoever can do without: not counted as refused. */
  public boolean tryTake(long bytes, long leaving) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    long before;
    do {
      before = held.get();
      if (bytes > limitBytes - before || leaving > limitBytes - before - bytes) {
        return false;
      }
    } while (!held.compareAndSet(before, before + bytes));
    reached(before + bytes);
    return true;
  }

  /** Takes bytes whether there are so many left or not; whoever took them gives them back once. */
  public void takeAnyway(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("got " + bytes + " bytes (expected: 0 or more)");
    }
    reached(held.addAndGet(bytes));
  }

  /** Counts something as refused that was more than there is at all. */
  public void refuse() {
    refused.increment();
  }

  private void reached(long now) {
    if (now > peak.get()) {
      peak.accumulateAndGet(now, Math::max);
    }
  }

  /** Gives bytes back that were taken. */
  public void giveBack(long bytes) {
    held.addAndGet(-bytes);
  }
}
