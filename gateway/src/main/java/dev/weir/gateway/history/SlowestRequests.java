package dev.weir.gateway.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The slowest requests of one step. Safe on any thread, without a lock: a request replaces the
 * fastest kept one by one compare-and-set. Most requests read one number only.
 */
final class SlowestRequests {
  private final AtomicReferenceArray<@Nullable RecentRequest> slots;

  /** The duration of the fastest kept request; negative while there is space. */
  private volatile long minNanos = -1;

  SlowestRequests(int size) {
    slots = new AtomicReferenceArray<>(size);
  }

  void offer(RecentRequest request) {
    long nanos = request.durationNanos();
    if (nanos <= minNanos) {
      return;
    }
    for (int attempt = 0; attempt <= slots.length(); attempt++) {
      int fastest = fastestSlot();
      RecentRequest known = slots.get(fastest);
      if (known != null && known.durationNanos() >= nanos) {
        return;
      }
      if (slots.compareAndSet(fastest, known, request)) {
        minNanos = leastNanos();
        return;
      }
    }
  }

  /**
   * Returns the duration that the fastest kept request had when it was looked at: others may have
   * replaced it by slower ones since, which only costs a comparison.
   */
  private long leastNanos() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < slots.length(); i++) {
      RecentRequest one = slots.get(i);
      if (one == null) {
        return -1;
      }
      least = Math.min(least, one.durationNanos());
    }
    return least;
  }

  private int fastestSlot() {
    int fastest = 0;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < slots.length(); i++) {
      RecentRequest one = slots.get(i);
      if (one == null) {
        return i;
      }
      if (one.durationNanos() < least) {
        least = one.durationNanos();
        fastest = i;
      }
    }
    return fastest;
  }

  /** Returns the kept requests, the slowest first. */
  List<RecentRequest> requests() {
    List<RecentRequest> found = new ArrayList<>(slots.length());
    for (int i = 0; i < slots.length(); i++) {
      RecentRequest one = slots.get(i);
      if (one != null) {
        found.add(one);
      }
    }
    found.sort(Comparator.comparingLong(RecentRequest::durationNanos).reversed());
    return List.copyOf(found);
  }
}
