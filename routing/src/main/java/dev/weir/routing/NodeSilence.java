package dev.weir.routing;

/** How long a node has not responded while it had a request. All times are in nanoseconds. */
final class NodeSilence {
  /** A silence of up to this much beyond the expected times is none. */
  private static final double TOLERANCE_NANOS = 1e6;

  private NodeSilence() {}

  /**
   * Returns how much longer than expected the node has been silent: its oldest request may take
   * twice its expected time.
   *
   * @param sentAtNanos when the node's oldest request without a response was sent
   * @param expectedNanos how long its response may take
   * @param answeredAtNanos when the node last answered in any way
   * @param since silence before this moment is a pause of the gateway
   */
  static double beyond(
      long sentAtNanos, double expectedNanos, long answeredAtNanos, long now, long since) {
    double silence = now - latest(latest(answeredAtNanos, sentAtNanos), since);
    return Math.max(0, silence - 2 * expectedNanos - TOLERANCE_NANOS);
  }

  /** Returns the later of two moments of the monotonic clock. */
  static long latest(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
