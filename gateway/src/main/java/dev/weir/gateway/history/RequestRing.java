package dev.weir.gateway.history;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The newest requests, up to a number. Safe on any thread and without contention: where two threads
 * add at the same moment, one of the two requests may be lost, because the place is read and
 * written without an atomic step.
 */
final class RequestRing {
  private final AtomicReferenceArray<@Nullable RecentRequest> slots;
  private final AtomicInteger next = new AtomicInteger();

  /**
   * Creates an empty ring.
   *
   * @param size a power of two
   */
  RequestRing(int size) {
    slots = new AtomicReferenceArray<>(size);
  }

  void add(RecentRequest request) {
    int slot = next.getPlain();
    next.setPlain(slot + 1);
    slots.setRelease(slot & (slots.length() - 1), request);
  }

  /** Returns the requests, in no order. */
  List<RecentRequest> requests() {
    List<RecentRequest> found = new ArrayList<>(slots.length());
    for (int i = 0; i < slots.length(); i++) {
      RecentRequest one = slots.getAcquire(i);
      if (one != null) {
        found.add(one);
      }
    }
    return found;
  }
}
