package dev.weir.admission.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the calls of each tenant that are in flight, or about to be sent, to one thread pool of a
 * node. Takes a fixed amount of memory: two tenants whose names have the same hash count as one,
 * which makes them share what one tenant may have. Safe on any thread.
 */
public final class HeldSlots {
  private static final int COUNTERS = 256;

  /** How long a tenant counts as present after its last call has started. */
  private static final long PRESENT_NANOS = 2_000_000_000;

  private static final long UPDATE_NANOS = 100_000_000;

  private final AtomicIntegerArray counts = new AtomicIntegerArray(COUNTERS);
  private final AtomicInteger all = new AtomicInteger();
  private volatile Recent recent = new Recent(-1, 0, -1, 0);

  /**
   * The two tenants that started calls last, by the index of their counters; -1 for none. Their
   * times are exact to 100 ms.
   */
  private record Recent(int last, long lastNanos, int other, long otherNanos) {}

  /** Counts a call of a tenant that is being sent. */
  public void onCallStart(String tenant, long now) {
    int index = indexOf(tenant);
    counts.incrementAndGet(index);
    all.incrementAndGet();
    Recent before = recent;
    if (before.last == index) {
      if (now - before.lastNanos > UPDATE_NANOS) {
        recent = new Recent(index, now, before.other, before.otherNanos);
      }
    } else if (before.other != index || now - before.otherNanos > UPDATE_NANOS) {
      recent = new Recent(index, now, before.last, before.lastNanos);
    }
  }

  /** Counts the end of a call, whatever its outcome. */
  public void onCallEnd(String tenant) {
    add(tenant, -1);
  }

  /** Counts calls that are about to be sent, or no longer. */
  void add(String tenant, int calls) {
    counts.addAndGet(indexOf(tenant), calls);
    all.addAndGet(calls);
  }

  /** Returns how many calls of a tenant are in flight. */
  int of(String tenant) {
    return counts.get(indexOf(tenant));
  }

  /** Returns how many calls of all other tenants are in flight. */
  int ofOthers(String tenant) {
    return Math.max(0, all.get() - of(tenant));
  }

  /** Returns whether another tenant has calls in flight, or had some in the last two seconds. */
  boolean isShared(String tenant, long now) {
    if (ofOthers(tenant) > 0) {
      return true;
    }
    int index = indexOf(tenant);
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
