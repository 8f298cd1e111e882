package dev.weir.admission.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for memory of one pool, in order of arrival. The first one gets its bytes
 * before those behind it; only requests of a tenant that has its share already are passed over.
 * Safe on any thread: holds its lock while it reserves, and runs callbacks without it.
 *
 * <p>Lock order: this queue, then the account of a waiting request. So nothing may be added or
 * released while an account's lock is held.
 */
final class MemoryWaitQueue {
  /** More requests than this do not wait: a release visits all of them at worst. */
  static final int MAX_WAITING = 256;

  /** A request that waits. */
  interface Waiter {
    /** Reserves the bytes that it waits for; returns the limit that they exceed now, or null. */
    @Nullable MemoryLimitScope tryGrant();

    /** Says that it has its bytes. Called without a lock. */
    void notifyGranted();
  }

  private final ArrayDeque<Waiter> waits = new ArrayDeque<>();
  private final LongAdder granted = new LongAdder();
  private volatile int waiting;

  /** Adds a request at the end; returns false if the queue is full. */
  boolean add(Waiter wait) {
    synchronized (waits) {
      if (waits.size() >= MAX_WAITING) {
        return false;
      }
      waits.addLast(wait);
      waiting = waits.size();
    }
    grant(); // bytes may have been released since the rejection
    return true;
  }

  /** Removes a request; returns false if it did not wait. */
  boolean remove(Waiter wait) {
    boolean removed;
    synchronized (waits) {
      removed = waits.remove(wait);
      waiting = waits.size();
    }
    if (removed) {
      grant(); // the next one may need less
    }
    return removed;
  }

  /** Reserves what is free for the requests that wait. Cheap while none waits. */
  void grant() {
    if (waiting == 0) {
      return;
    }
    List<Waiter> served = new ArrayList<>();
    synchronized (waits) {
      for (Iterator<Waiter> each = waits.iterator(); each.hasNext(); ) {
        Waiter wait = each.next();
        @Nullable MemoryLimitScope full = wait.tryGrant();
        if (full == null) {
          each.remove();
          served.add(wait);
        } else if (full != MemoryLimitScope.TENANT) {
          break;
        }
      }
      waiting = waits.size();
    }
    granted.add(served.size());
    served.forEach(Waiter::notifyGranted);
  }

  int waiting() {
    return waiting;
  }

  /** Returns the number of requests that got their bytes after a wait. */
  long granted() {
    return granted.sum();
  }
}
