package dev.weir.admission.queue;

/**
 * A number of requests that wait for something in common: since when, how quickly they go, and
 * whether they become more. Guarded by the lock of its queue.
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

  /** How many asked, and how many went, while it stood; older ones count for less. */
  private double arrivals;

  private double departures;
  private long countedNanos;

  int waiting() {
    return waiting;
  }

  /** One asks, and can't go at once; whether it is refused or waits. */
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

  /** One of what waits goes now; call before it is removed. */
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
    double kept = Math.exp(-Math.max(0L, now - countedNanos) / DECAY_NANOS);
    arrivals *= kept;
    departures *= kept;
    countedNanos = now;
  }

  /** The time from one that goes to the next; 0 while not known. */
  double admissionIntervalNanos() {
    return intervals < MIN_INTERVALS ? 0 : admissionIntervalNanos;
  }

  private boolean isStanding(long now) {
    return waiting > 0 && now - nonEmptySinceNanos > MIN_STANDING_NANOS;
  }

  /**
   * Whether more come than can go: something has waited here all the time for a second, and since
   * then clearly more came than went. A burst that is worked off by then is none, nor is a number
   * of clients that each wait for their answer before they ask again, however many at once they
   * began.
   */
  boolean isGrowing(long now) {
    return isStanding(now)
        && arrivals > GROWTH_FACTOR * departures + NOISE_FACTOR * Math.sqrt(arrivals) + MIN_EXCESS;
  }
}
