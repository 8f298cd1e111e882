package dev.weir.admission.queue;

/**
 * Tracks the requests that wait for the same thing: since when, at which rate they leave, and
 * whether they grow. Guarded by the lock of its queue.
 */
final class BacklogTracker {
  private static final double GAIN = 0.1;
  private static final int MIN_INTERVALS = 5;
  private static final double MIN_STANDING_NANOS = 1e9;
  private static final double DECAY_NANOS = 5e9;
  private static final double GROWTH_FACTOR = 1.1;
  private static final double NOISE_FACTOR = 1.5;
  private static final double MIN_EXCESS = 5;

  private int waiting;
  private long nonEmptySinceNanos;
  private long lastNanos;
  private double admissionIntervalNanos;
  private int intervals;

  /** Recent arrivals; they decay with time, as departures do. */
  private double arrivals;

  private double departures;
  private long countedNanos;

  int waiting() {
    return waiting;
  }

  /** Records a request that can't be admitted at once, whether it is rejected or waits. */
  void onArrival(long now) {
    if (isStanding(now)) {
      decay(now);
      arrivals++;
    }
  }

  void onEnqueue(long now) {
    if (waiting++ == 0) {
      nonEmptySinceNanos = now;
      lastNanos = now;
    }
  }

  void onRemove() {
    waiting--;
  }

  /** Records that a waiting request is admitted. Call it before the request is removed. */
  void onAdmit(long now) {
    double nanos = Math.max(0L, now - lastNanos);
    intervals = Math.min(intervals + 1, 1000);
    admissionIntervalNanos += Math.max(GAIN, 1.0 / intervals) * (nanos - admissionIntervalNanos);
    lastNanos = now;
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

  /** Returns the mean time between two departures in nanoseconds; 0 while unknown. */
  double admissionIntervalNanos() {
    return intervals < MIN_INTERVALS ? 0 : admissionIntervalNanos;
  }

  private boolean isStanding(long now) {
    return waiting > 0 && now - nonEmptySinceNanos > MIN_STANDING_NANOS;
  }

  /**
   * Returns whether arrivals exceed departures: requests have waited here for a whole second, and
   * since then clearly more arrived than left. False for a burst that is served within that second,
   * and for clients that each wait for a response before their next request, however many start at
   * once.
   */
  boolean isGrowing(long now) {
    return isStanding(now)
        && arrivals > GROWTH_FACTOR * departures + NOISE_FACTOR * Math.sqrt(arrivals) + MIN_EXCESS;
  }
}
