package dev.weir.admission.memory;

import dev.weir.model.RequestMemory.Item;
import java.util.concurrent.atomic.AtomicLongArray;

/** What the requests of one tenant hold together, by item. Safe on any thread. */
final class TenantMemory {
  private final AtomicLongArray held = new AtomicLongArray(Item.values().length);

  /** Requests that hold something; changed by the map that this one is in. */
  private int requests;

  void enter() {
    requests++;
  }

  /** Whether that was the last one. */
  boolean leave() {
    return --requests == 0;
  }

  void changed(Item item, long bytes) {
    held.addAndGet(item.ordinal(), bytes);
  }

  long held(Item item) {
    return held.get(item.ordinal());
  }
}
