package dev.weir.responses.export;

import java.util.HashMap;
import java.util.Map;

/** Counts the active exports of each client address. Safe on any thread. */
final class ExportSlots {
  private final Map<String, Integer> activeByAddress = new HashMap<>();

  /** Takes a slot of an address unless it has {@code max}; returns whether it did. */
  synchronized boolean tryAcquire(String address, int max) {
    int active = activeByAddress.getOrDefault(address, 0);
    if (active >= max) {
      return false;
    }
    activeByAddress.put(address, active + 1);
    return true;
  }

  synchronized void release(String address) {
    activeByAddress.computeIfPresent(address, (_, active) -> active == 1 ? null : active - 1);
  }
}
