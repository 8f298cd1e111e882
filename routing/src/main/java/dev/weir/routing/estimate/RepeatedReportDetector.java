package dev.weir.routing.estimate;

/**
 * Recognizes repeated reports of a node: a response from its request cache contains the service
 * time from when the entry was created. Remembers the last value in each of 256 slots. Not
 * thread-safe.
 */
public final class RepeatedReportDetector {
  private final long[] recentValues = new long[256];

  /** Adds a service time; returns true if exactly this one was reported recently. */
  public boolean isRepeat(long serviceNanos) {
    int slot = (int) ((serviceNanos * 0x9E3779B97F4A7C15L) >>> 56);
    boolean again = recentValues[slot] == serviceNanos;
    recentValues[slot] = serviceNanos;
    return again;
  }
}
