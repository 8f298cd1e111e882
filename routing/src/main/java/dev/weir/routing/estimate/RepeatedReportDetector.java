package dev.weir.routing.estimate;

/**
 * Recognizes reports that a node made before: an answer from its request cache carries the service
 * time of when the entry was filled. Remembers the last value in each of 256 slots. Not
 * thread-safe.
 */
public final class RepeatedReportDetector {
  private final long[] recentValues = new long[256];

  /** Notes a service time; says whether exactly this one was lately reported. */
  public boolean isRepeat(long serviceNanos) {
    int slot = (int) ((serviceNanos * 0x9E3779B97F4A7C15L) >>> 56);
    boolean again = recentValues[slot] == serviceNanos;
    recentValues[slot] = serviceNanos;
    return again;
  }
}
