package dev.weir.routing.weight;

/**
 * The share of its usual requests that a node gets, from 0 to 1. It may rise, or fall, evenly over
 * some time.
 *
 * @param target the share at the end
 * @param from the share at the start
 * @param sinceMillis the start, in milliseconds since 1970
 * @param rampMillis the time from start to end; 0 for a share that applies at once
 */
public record NodeWeight(double target, double from, long sinceMillis, long rampMillis) {
  /** The share of a node that nobody has changed. */
  public static final double FULL = 1;

  /** A node that is taken back gets some requests from the start: otherwise it stays cold. */
  private static final double MIN_RAMP_SHARE = 0.02;

  /** A share that applies at once. */
  public static NodeWeight of(double share) {
    return new NodeWeight(share, share, 0, 0);
  }

  /** Returns the share at a moment, in milliseconds since 1970. */
  public double at(long nowMillis) {
    if (rampMillis <= 0 || nowMillis >= sinceMillis + rampMillis) {
      return target;
    }
    double done = Math.max(0, nowMillis - sinceMillis) / (double) rampMillis;
    double share = from + (target - from) * done;
    return target > from ? Math.max(Math.min(MIN_RAMP_SHARE, target), share) : share;
  }

  /**
   * Returns the time from which on the node gets all of its usual requests, in milliseconds since
   * 1970; {@link Long#MAX_VALUE} if it never does.
   */
  long fullSinceMillis() {
    return target < FULL ? Long.MAX_VALUE : sinceMillis + Math.max(0, rampMillis);
  }

  /** Returns whether the node gets all of its usual requests, now and later. */
  public boolean isFull(long nowMillis) {
    return target >= FULL && at(nowMillis) >= FULL;
  }
}
