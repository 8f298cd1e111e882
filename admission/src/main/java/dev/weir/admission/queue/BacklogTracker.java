package dev.weir.admission.queue;

/**
 * Counts the requests that wait for the same thing, and tracks at which rate they are admitted.
 * Guarded by the lock of its queue.
 */
final class BacklogTracker {
  private static final double GAIN = 0.1;
  private static final int MIN_INTERVALS = 5;

  private int waiting;
  private long lastNanos;
  private double admissionIntervalNanos;
  private int intervals;

  int waiting() {
    return waiting;
  }

  void onEnqueue(long now) {
    if (waiting++ == 0) {
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
  }

  /** Returns the mean time between two departures in nanoseconds; 0 while unknown. */
  double admissionIntervalNanos() {
    return intervals < MIN_INTERVALS ? 0 : admissionIntervalNanos;
  }
}
