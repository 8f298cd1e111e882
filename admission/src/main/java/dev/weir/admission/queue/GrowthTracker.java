package dev.weir.admission.queue;

/**
 * Tracks whether more requests arrive than leave, while some always wait. Sums up arrivals less
 * departures, as a CUSUM test does (Page 1954): clients that each wait for a response before their
 * next request never exceed it by more than their number, however many come at once, while the sum
 * of an overload rises without end. Guarded by the lock of its queue.
 */
final class GrowthTracker {
  private static final double MIN_STANDING_NANOS = 1e9;

  /** What a departure counts, compared with an arrival: chance must not add up to growth. */
  private static final double DEPARTURE_WEIGHT = 1.1;

  /** The sum up to which the arrivals may be those of clients that wait for a response. */
  private static final int GROWTH_THRESHOLD = 64;

  /** The largest sum: the growth is over soon after as many leave as arrive. */
  private static final double MAX_EXCESS = 1.2 * GROWTH_THRESHOLD;

  private final long sinceNanos;
  private double excess;

  /** Starts when the first request waits. */
  GrowthTracker(long now) {
    this.sinceNanos = now;
  }

  /** Records a client's request that can't be admitted at once, whether it is rejected or waits. */
  void onArrival(long now) {
    if (isStanding(now)) {
      excess = Math.min(MAX_EXCESS, excess + 1);
    }
  }

  /** Records that a client's waiting request is admitted. */
  void onAdmit(long now) {
    if (isStanding(now)) {
      excess = Math.max(0, excess - DEPARTURE_WEIGHT);
    }
  }

  private boolean isStanding(long now) {
    return now - sinceNanos > MIN_STANDING_NANOS;
  }

  /**
   * Returns whether arrivals exceed departures: requests have waited for a whole second, and since
   * then clearly more arrived than left. False for a burst that is served within that second, and
   * for up to {@link #GROWTH_THRESHOLD} clients that each wait for a response before their next
   * request.
   */
  boolean isGrowing() {
    return excess > GROWTH_THRESHOLD;
  }
}
