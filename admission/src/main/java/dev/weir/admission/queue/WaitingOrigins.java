package dev.weir.admission.queue;

import java.util.HashMap;
import java.util.Map;

/**
 * Counts the client requests that have something waiting, each once, however many of its parts
 * wait. Guarded by the lock of its queue.
 */
final class WaitingOrigins {
  private final Map<Object, Integer> partsByOrigin = new HashMap<>();

  void add(Object origin) {
    partsByOrigin.merge(origin, 1, Integer::sum);
  }

  void remove(Object origin) {
    partsByOrigin.computeIfPresent(origin, (_, parts) -> parts == 1 ? null : parts - 1);
  }

  /** Returns how many parts of a request wait. */
  int parts(Object origin) {
    return partsByOrigin.getOrDefault(origin, 0);
  }

  int count() {
    return partsByOrigin.size();
  }
}
