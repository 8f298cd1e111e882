package dev.weir.admission.queue;

/**
 * A number of requests that wait for something in common: since when, how quickly they go, and
 * whether they become more. Guarded by the lock of its queue.
 */
final class Backlog {
  private static final double GAIN = 0.1;
  private static final int KNOWN = 5;
  private static final double STANDING_NANOS = 1e9;
  private static final double FORGOTTEN_NANOS = 5e9;
  private static final double MORE_THAN_GO = 1.1;
  private static final double CHANCE = 1.5;
  private static final double LEAST = 5;

  private int waiting;
  private long sinceNanos;
  private long lastNanos;
  private double interval;
  private int intervals;

  /** How many asked, and how many went, while it stood; older ones count for less. */
  private double came;

  private double gone;
  private long countedNanos;

  int waiting() {
    return waiting;
  }

  /** One asks, and can't go at once; whether it is refused or waits. */
  void asked(long now) {
    if (standing(now)) {
      fade(now);
      came++;
    }
  }

  void added(long now) {
    if (waiting++ == 0) {
      sinceNanos = now;
      lastNanos = now;
    }
  }

  void removed() {
    waiting--;
  }

  /** One of what waits goes now; call before it is removed. */
  void went(long now) {
    double nanos = Math.max(0L, now - lastNanos);
    intervals = Math.min(intervals + 1, 1000);
    interval += Math.max(GAIN, 1.0 / intervals) * (nanos - interval);
    lastNanos = now;
    if (standing(now)) {
      fade(now);
      gone++;
    }
  }

  private void fade(long now) {
    double kept = Math.exp(-Math.max(0L, now - countedNanos) / FORGOTTEN_NANOS);
    came *= kept;
    gone *= kept;
    countedNanos = now;
  }

  /** The time from one that goes to the next; 0 while not known. */
  double interval() {
    return intervals < KNOWN ? 0 : interval;
  }

  private boolean standing(long now) {
    return waiting > 0 && now - sinceNanos > STANDING_NANOS;
  }

  /**
   * Whether more come than can go: something has waited here all the time for a second, and since
   * then clearly more came than went. A burst that is worked off by then is none, nor is a number
   * of clients that each wait for their answer before they ask again, however many at once they
   * began.
   */
  boolean outgrows(long now) {
    return standing(now) && came > MORE_THAN_GO * gone + CHANCE * Math.sqrt(came) + LEAST;
  }
}
