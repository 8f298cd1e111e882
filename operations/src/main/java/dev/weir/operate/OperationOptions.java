package dev.weir.operate;

import java.time.Duration;

/**
 * How an operation proceeds.
 *
 * @param command run by {@code sh -c} for each node, with {name}, {host} and {id} replaced; empty
 *     to have the operator restart the node by hand
 * @param drainTimeout how long to wait for requests in flight to a drained node
 * @param returnTimeout how long a node may take to leave and join again
 * @param greenTimeout how long all copies may take to start
 * @param ramp how long a node's share of requests rises
 * @param maxP99Ratio recoveries are slowed down while the gateways' p99 is more than this multiple
 *     of what it was before
 * @param usesZoneWeights whether nodes send a zone no searches while all of its data nodes are
 *     drained, on a cluster with awareness attributes
 */
public record OperationOptions(
    String command,
    Duration drainTimeout,
    Duration returnTimeout,
    Duration greenTimeout,
    Duration ramp,
    double maxP99Ratio,
    boolean usesZoneWeights) {
  private static final Duration LONGEST_RAMP = Duration.ofHours(24);
  private static final Duration LONGEST_WAIT = Duration.ofDays(30);

  /** The usual ones. */
  public static final OperationOptions DEFAULTS =
      new OperationOptions(
          "",
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          Duration.ofHours(4),
          Duration.ofSeconds(60),
          1.3,
          true);

  /**
   * Returns these options for a new operation. A journal may have others, and can still be ended.
   *
   * @throws IllegalArgumentException if the ramp is not one that gateways take: 0, or 1 s to 24 h;
   *     or if another value makes no sense
   */
  public OperationOptions checked() {
    if (!ramp.isZero() && (ramp.toSeconds() < 1 || ramp.compareTo(LONGEST_RAMP) > 0)) {
      throw new IllegalArgumentException(
          "got a ramp of "
              + ramp.toMillis() / 1000.0
              + " s (expected: 0s, or 1s to "
              + LONGEST_RAMP.toHours()
              + "h)");
    }
    checkWait("drain timeout", drainTimeout);
    checkWait("return timeout", returnTimeout);
    checkWait("green timeout", greenTimeout);
    if (!(maxP99Ratio >= 0 && maxP99Ratio < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(
          "got a p99 ratio of " + maxP99Ratio + " (expected: 0 or more, such as 1.3)");
    }
    return this;
  }

  private static void checkWait(String name, Duration wait) {
    if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "got a "
              + name
              + " of "
              + wait.toSeconds()
              + " s (expected: 0s to "
              + LONGEST_WAIT.toHours()
              + "h)");
    }
  }

  /** Returns a copy with another command. */
  public OperationOptions withCommand(String newCommand) {
    return new OperationOptions(
        newCommand, drainTimeout, returnTimeout, greenTimeout, ramp, maxP99Ratio, usesZoneWeights);
  }

  /** Returns a copy with another time in which a node's share of requests rises. */
  public OperationOptions withRamp(Duration newRamp) {
    return new OperationOptions(
        command, drainTimeout, returnTimeout, greenTimeout, newRamp, maxP99Ratio, usesZoneWeights);
  }
}
