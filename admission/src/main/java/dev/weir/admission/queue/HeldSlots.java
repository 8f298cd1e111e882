package dev.weir.admission.queue;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the calls in flight of each tenant to one thread pool of a node. Takes a fixed amount of
 * memory: two tenants whose names have the same hash count as one, which makes them share what one
 * tenant may have. Safe on any thread.
 */
public final class HeldSlots {
  private static final int COUNTERS = 256;

  private final AtomicIntegerArray counts = new AtomicIntegerArray(COUNTERS);
  private final AtomicInteger all = new AtomicInteger();

  /** Counts a call of a tenant that is being sent. */
  public void onCallStart(String tenant) {
    counts.incrementAndGet(indexOf(tenant));
    all.incrementAndGet();
  }

  /** Counts the end of a call, whatever its outcome. */
  public void onCallEnd(String tenant) {
    counts.decrementAndGet(indexOf(tenant));
    all.decrementAndGet();
  }

  /** Returns how many calls of a tenant are in flight. */
  int of(String tenant) {
    return counts.get(indexOf(tenant));
  }

  /** Returns how many calls of all other tenants are in flight. */
  int ofOthers(String tenant) {
    return Math.max(0, all.get() - of(tenant));
  }

  private static int indexOf(String tenant) {
    int hash = tenant.hashCode();
    return (hash ^ hash >>> 8 ^ hash >>> 16) & (COUNTERS - 1);
  }
}
