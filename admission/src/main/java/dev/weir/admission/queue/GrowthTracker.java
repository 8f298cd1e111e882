package dev.weir.admission.queue;

/**
 * Tracks whether more requests arrive than leave, while some always wait. Guarded by the lock of
 * its queue.
 */
final class GrowthTracker {
  private static final double MIN_STANDING_NANOS = 1e9;
  private static final double DECAY_NANOS = 5e9;
  private static final double GROWTH_FACTOR = 1.1;
  private static final double NOISE_FACTOR = 1.5;
  private static final double MIN_EXCESS = 5;

  private final long sinceNanos;

  /** Recent arrivals; they decay with time, as departures do. */
  private double arrivals;

  private double departures;
  private long countedNanos;

  /** Starts when the first request waits. */
  GrowthTracker(long now) {
    this.sinceNanos = now;
  }

  /** Records a request that can't be admitted at once, whether it is rejected or waits. */
  void onArrival(long now) {
    if (isStanding(now)) {
      decay(now);
      arrivals++;
    }
  }

  /** Records that a waiting request is admitted. */
  void onAdmit(long now) {
    if (isStanding(now)) {
      decay(now);
      departures++;
    }
  }

  private void decay(long now) {
    double factor = Math.exp(-Math.max(0L, now - countedNanos) / DECAY_NANOS);
    arrivals *= factor;
    departures *= factor;
    countedNanos = now;
  }

  private boolean isStanding(long now) {
    return now - sinceNanos > MIN_STANDING_NANOS;
  }

  /**
   * Returns whether arrivals exceed departures: requests have waited for a whole second, and since
   * then clearly more arrived than left. False for a burst that is served within that second, and
   * for clients that each wait for a response before their next request, however many start at
   * once.
   */
  boolean isGrowing(long now) {
    return isStanding(now)
        && arrivals > GROWTH_FACTOR * departures + NOISE_FACTOR * Math.sqrt(arrivals) + MIN_EXCESS;
  }
}
