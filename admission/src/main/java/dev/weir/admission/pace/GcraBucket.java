package dev.weir.admission.pace;

/**
 * What may be taken now, of something that comes back at a rate: the generic cell rate algorithm
 * (ITU-T I.371) by virtual scheduling. The level rises at the rate up to the burst; whoever takes
 * more than is there takes it at once and goes when it would have been there, so the level may be
 * below zero, and those who take later go later. What leaves in a time {@code t} is never more than
 * {@code rate * t + burst}, unless one takes more than the burst by itself: it goes when the bucket
 * is full, and those after it wait until it has been made up for.
 *
 * <p>Guarded by its account's lock. Times are of a monotonic clock in nanoseconds, read before the
 * lock is taken.
 */
final class GcraBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Nobody owes more than what comes back in this time, in seconds. */
  private static final double MAX_DEBT_SECONDS = 3600;

  private final double perSecond;
  private final double burst;
  private double level;
  private long refilledNanos;
  private long consumptions;

  /** Makes a full one. */
  GcraBucket(double perSecond, double burst, long nowNanos) {
    if (!(perSecond > 0 && burst > 0 && perSecond < 1e15 && burst < 1e15)) {
      throw new IllegalArgumentException(
          "got " + perSecond + " a second, burst " + burst + " (expected: over 0, under 1e15)");
    }
    this.perSecond = perSecond;
    this.burst = burst;
    this.level = burst;
    this.refilledNanos = nowNanos;
  }

  double perSecond() {
    return perSecond;
  }

  double burst() {
    return burst;
  }

  private void refill(long nowNanos) {
    long passed = nowNanos - refilledNanos;
    if (passed > 0) {
      refilledNanos = nowNanos;
      level = Math.min(burst, level + passed / NANOS_PER_SECOND * perSecond);
    }
  }

  /** For how long one that takes so much has to wait, in nanoseconds, rounded up. */
  long delayNanos(double amount, long nowNanos) {
    refill(nowNanos);
    double missing = Math.min(amount, burst) - level;
    // who read the clock before another filled it: the level is that of a moment yet to come
    long early = refilledNanos - nowNanos;
    return Math.max(0, (long) Math.ceil(missing / perSecond * NANOS_PER_SECOND + early));
  }

  /**
   * What somebody took.
   *
   * @param sequence of all takings it is
   */
  record Consumption(double amount, long sequence) {}

  /** Takes. */
  Consumption consume(double amount) {
    double lowered = lower(amount);
    return new Consumption(lowered, ++consumptions);
  }

  /** Takes what was used already, without asking: those after it pay. */
  void forceConsume(double amount, long nowNanos) {
    refill(nowNanos);
    lower(amount);
    consumptions++;
  }

  private double lower(double amount) {
    double before = level;
    level = Math.max(level - amount, Math.min(level, -perSecond * MAX_DEBT_SECONDS));
    return before - level;
  }

  /**
   * Gives back what was taken and not used. Where others have taken since, nothing: they go at
   * their times, and what is given back could be used beside them.
   */
  void refund(Consumption unused, long nowNanos) {
    if (unused.sequence() == consumptions) {
      consumptions--;
      refill(nowNanos);
      level = Math.min(burst, level + unused.amount());
    }
  }

  /** Whether it is as good as new. */
  boolean isFull(long nowNanos) {
    refill(nowNanos);
    return level >= burst;
  }
}
