package dev.weir.admission.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the calls of each tenant that are in flight, or about to be sent, to one thread pool of a
 * node, and knows which tenants use the node: those with such calls, those that wait for the node,
 * and for two seconds those that started a call. Takes a fixed amount of memory: two tenants whose
 * names have the same hash count as one, which makes them share what one tenant may have. Safe on
 * any thread.
 */
public final class HeldSlots {
  private static final int COUNTERS = 256;

  /** How long a tenant counts as present after its last call has started. */
  private static final long PRESENT_NANOS = 2_000_000_000;

  private static final long UPDATE_NANOS = 100_000_000;

  /** What a tenant that waits adds to its counter; more than the calls that it can have. */
  private static final int WAITING = 1 << 20;

  /** What a counter above zero adds to {@link #users}, besides its index. */
  private static final long ONE_USER = 1L << 32;

  /** By tenant: the calls, and {@link #WAITING} while it waits. */
  private final AtomicIntegerArray counters = new AtomicIntegerArray(COUNTERS);

  /**
   * The number of counters above zero in the upper half, the sum of their indices in the lower one.
   * So one read tells whether the only counter above zero is a certain one. Updated so that it
   * never has a counter that is zero.
   */
  private final AtomicLong users = new AtomicLong();

  private final AtomicInteger total = new AtomicInteger();
  private volatile Recent recent = new Recent(-1, 0, -1, 0);

  /**
   * The two tenants that started calls last, by the index of their counters; -1 for none. Their
   * times are exact to 100 ms.
   */
  private record Recent(int last, long lastNanos, int other, long otherNanos) {}

  /** Counts a call of a tenant that is being sent. */
  public void onCallStart(String tenant, long now) {
    int index = indexOf(tenant);
    total.incrementAndGet();
    add(index, 1);
    Recent before = recent;
    if (before.last == index) {
      if (now - before.lastNanos > UPDATE_NANOS) {
        recent = new Recent(index, now, before.other, before.otherNanos);
      }
    } else if (before.other != index || now - before.otherNanos > UPDATE_NANOS) {
      recent = new Recent(index, now, before.last, before.lastNanos);
    }
  }

  /** Counts the end of a call, with any outcome. */
  public void onCallEnd(String tenant) {
    add(tenant, -1);
  }

  /** Counts calls that are about to be sent, or no longer. */
  void add(String tenant, int calls) {
    total.addAndGet(calls);
    add(indexOf(tenant), calls);
  }

  /** Records that a tenant begins to wait for the node. */
  void onWaitStart(String tenant) {
    add(indexOf(tenant), WAITING);
  }

  /** Records that nothing of a tenant waits for the node any more. */
  void onWaitEnd(String tenant) {
    add(indexOf(tenant), -WAITING);
  }

  private void add(int index, int change) {
    if (change > 0) {
      if (counters.getAndAdd(index, change) == 0) {
        users.addAndGet(ONE_USER + index);
      }
      return;
    }
    for (int before = counters.get(index); ; before = counters.get(index)) {
      boolean isLast = before + change == 0;
      if (isLast) {
        users.addAndGet(-ONE_USER - index);
      }
      if (counters.compareAndSet(index, before, before + change)) {
        return;
      }
      if (isLast) {
        users.addAndGet(ONE_USER + index);
      }
    }
  }

  /** Returns how many calls of a tenant are in flight. */
  public int countOf(String tenant) {
    return counters.get(indexOf(tenant)) & (WAITING - 1);
  }

  /** Returns about how many calls of all other tenants are in flight. */
  int countOfOthers(String tenant) {
    return Math.max(0, total.get() - countOf(tenant));
  }

  /** Returns how many calls of all tenants are in flight. */
  int total() {
    return total.get();
  }

  /**
   * Returns whether another tenant has calls in flight, waits, or started a call in the last two
   * seconds. Never true for a tenant that is alone.
   */
  boolean isShared(String tenant, long now) {
    int index = indexOf(tenant);
    long using = users.get();
    if (using >= 2 * ONE_USER || (using > 0 && using != ONE_USER + index)) {
      return true;
    }
    Recent known = recent;
    return known.last == index
        ? known.other >= 0 && now - known.otherNanos < PRESENT_NANOS
        : known.last >= 0 && now - known.lastNanos < PRESENT_NANOS;
  }

  private static int indexOf(String tenant) {
    int hash = tenant.hashCode();
    return (hash ^ hash >>> 8 ^ hash >>> 16) & (COUNTERS - 1);
  }
}
