package dev.weir.admission.pace;

/**
 * A token bucket by the generic cell rate algorithm (ITU-T I.371), with virtual scheduling. The
 * level rises at the rate, up to the burst. A request that needs more tokens than the level takes
 * them at once and is delayed until the level would have sufficed. The level may therefore be
 * negative, which delays later requests. In a time {@code t} at most {@code rate * t + burst}
 * tokens leave. The exception is a request that takes more than the burst by itself: it proceeds
 * when the bucket is full, and the requests after it wait until its debt is repaid.
 *
 * <p>Guarded by the lock of its {@link KeyBuckets}. Times come from a monotonic clock in
 * nanoseconds, read before the lock is taken.
 */
final class GcraBucket {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Limits the debt to what the rate restores in this many seconds. */
  private static final double MAX_DEBT_SECONDS = 3600;

  private final double perSecond;
  private final double burst;
  private double level;
  private long refilledNanos;
  private long consumptions;

  /** Creates a full bucket. */
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

  /**
   * Returns how long a request for {@code amount} tokens has to wait, in nanoseconds, rounded up.
   */
  long delayNanos(double amount, long nowNanos) {
    refill(nowNanos);
    double missing = Math.min(amount, burst) - level;
    // another thread with a later reading of the clock has refilled: the level is that of a later
    // time
    long early = refilledNanos - nowNanos;
    return Math.max(0, (long) Math.ceil(missing / perSecond * NANOS_PER_SECOND + early));
  }

  /**
   * One consumption of tokens.
   *
   * @param sequence its number among all consumptions of the bucket
   */
  record Consumption(double amount, long sequence) {}

  Consumption consume(double amount) {
    double lowered = lower(amount);
    return new Consumption(lowered, ++consumptions);
  }

  /**
   * Takes tokens for something that has already happened, without a check; later requests wait for
   * it.
   */
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
   * Returns tokens that were not used. Does nothing if a later request has taken tokens: its delay
   * is fixed already, and returning the tokens would let others use them a second time.
   */
  void refund(Consumption unused, long nowNanos) {
    if (unused.sequence() == consumptions) {
      consumptions--;
      refill(nowNanos);
      level = Math.min(burst, level + unused.amount());
    }
  }

  /** Returns whether the bucket is full, so that evicting it changes nothing. */
  boolean isFull(long nowNanos) {
    refill(nowNanos);
    return level >= burst;
  }
}
