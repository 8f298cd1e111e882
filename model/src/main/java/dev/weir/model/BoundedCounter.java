package dev.weir.model;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts what is in use, such as slots or bytes, up to a bound. A refused addition changes nothing,
 * not even for a moment, so it never makes another one fail that fits. Safe on any thread; never
 * blocks.
 */
public final class BoundedCounter {
  private final AtomicLong count = new AtomicLong();

  /** Creates a counter at zero. */
  public BoundedCounter() {}

  /**
   * Adds unless the sum exceeds the bound.
   *
   * @param max the bound, which may differ from call to call
   * @return whether it was added; the caller then subtracts it once
   */
  public boolean tryAdd(long amount, long max) {
    long before;
    do {
      before = count.get();
      if (amount > max - before) {
        return false;
      }
    } while (!count.compareAndSet(before, before + amount));
    return true;
  }

  /** Adds even beyond a bound. */
  public void add(long amount) {
    count.addAndGet(amount);
  }

  public void subtract(long amount) {
    count.addAndGet(-amount);
  }

  public long get() {
    return count.get();
  }
}
