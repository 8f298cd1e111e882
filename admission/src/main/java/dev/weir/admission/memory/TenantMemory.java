package dev.weir.admission.memory;

import dev.weir.model.RequestMemory.Category;
import java.util.concurrent.atomic.AtomicLongArray;

/** The memory that all requests of one tenant hold, by category. Safe on any thread. */
final class TenantMemory {
  private final AtomicLongArray usedBytes = new AtomicLongArray(Category.values().length);

  /** Requests that hold memory; guarded by the map that contains this object. */
  private int requests;

  void addRequest() {
    requests++;
  }

  /** Removes a request; returns whether it was the tenant's last. */
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
