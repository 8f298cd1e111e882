package dev.weir.routing.estimate;

/**
 * How often a node stood still lately while requests waited for it. A node that stands still once,
 * for example for a garbage collection, is as good as before. One that does it again and again
 * delays many requests before each stall is noticed. It counts as unsteady after three stalls,
 * until a test passes; after more stalls, until up to four tests pass. Immutable.
 *
 * @param count the number of stalls, at most {@link #MAX_COUNT}; decays while the node is steady
 * @param lastNanos the duration of the last stall, at most 250 ms
 * @param judgedAtNanos when a stall ended, or a test passed
 * @param unsteady whether other nodes are better for now
 */
public record StallHistory(double count, double lastNanos, long judgedAtNanos, boolean unsteady) {
  /** A node that never stood still. */
  public static final StallHistory NONE = new StallHistory(0, 0, 0, false);

  private static final double DECAY_NANOS = 5e9;
  private static final double MAX_COUNT = 6;
  private static final double UNSTEADY_COUNT = 2.5;
  private static final double PASSED_TEST = 0.9;
  private static final double MIN_TEST_INTERVAL_NANOS = 100e6;

  /** So that tests are at most a second apart, and half a second counts as time without a stall. */
  private static final double MAX_STALL_NANOS = 250e6;

  /** Returns the history after a stall. */
  public StallHistory withStall(double nanos, long now) {
    double before = unsteady || count == 0 ? count : decayed(now);
    double after = Math.min(MAX_COUNT, before + 1);
    return new StallHistory(
        after, Math.min(nanos, MAX_STALL_NANOS), now, unsteady || after > UNSTEADY_COUNT);
  }

  /**
   * Returns the history after a response without a stall: a passed test, if the node had the time
   * to stand still again.
   */
  public StallHistory withSteadyResponse(long now) {
    if (!unsteady || now - judgedAtNanos < Math.max(MIN_TEST_INTERVAL_NANOS, 2 * lastNanos)) {
      return this;
    }
    double after = count - PASSED_TEST;
    return new StallHistory(after, lastNanos, now, after > UNSTEADY_COUNT);
  }

  /** Returns how long an unsteady node gets no request before the next test. */
  public long testIntervalNanos() {
    return (long) Math.max(MIN_TEST_INTERVAL_NANOS, 4 * lastNanos);
  }

  private double decayed(long now) {
    return count * Math.exp(-Math.max(0, (double) now - judgedAtNanos) / DECAY_NANOS);
  }
}
