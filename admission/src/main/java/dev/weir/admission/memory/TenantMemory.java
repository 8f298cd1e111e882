package dev.weir.admission.memory;

import dev.weir.model.RequestMemory.Category;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the requests of one tenant hold together, by item. Safe on any thread. */
final class TenantMemory {
  private final AtomicLongArray usedBytes = new AtomicLongArray(Category.values().length);

  /** Requests that hold something; changed by the map that this one is in. */
  private int requests;

  void addRequest() {
    requests++;
  }

  /** Whether that was the last one. */
  boolean removeRequest() {
    return --requests == 0;
  }

  void addUsage(Category item, long bytes) {
    usedBytes.addAndGet(item.ordinal(), bytes);
  }

  long usedBytes(Category item) {
    return usedBytes.get(item.ordinal());
  }
}
