package dev.weir.routing;

import org.jspecify.annotations.Nullable;

/** How long a node has not responded while it had a request. All times are in nanoseconds. */
final class NodeSilence {
  /** A silence of up to this much beyond the expected times is none. */
  private static final double TOLERANCE_NANOS = 1e6;

  private NodeSilence() {}

  /**
   * Returns how much longer than expected the node has been silent: its oldest request may take
   * twice its expected time.
   *
   * @param oldest the node's oldest request without a response; null for none
   * @param since silence before this moment is a pause of the gateway
   */
  static double beyondExpected(
      @Nullable TrackedRequest oldest, LoadEstimate known, long now, long since) {
    return oldest == null
        ? 0
        : Math.max(
            0, nanos(oldest, known, now, since) - 2 * oldest.expectedNanos - TOLERANCE_NANOS);
  }

  /**
   * Returns how much longer the node has been silent than one that serves its queue in order: a
   * long queue delays a response, but not the responses to the requests before it.
   *
   * @param oldest the node's oldest request without a response; null for none
   * @param since silence before this moment is a pause of the gateway
   */
  static double beyondQueue(
      @Nullable TrackedRequest oldest, LoadEstimate known, long now, long since) {
    return oldest == null
        ? 0
        : Math.max(0, nanos(oldest, known, now, since) - 2 * oldest.inOrderNanos - TOLERANCE_NANOS);
  }

  private static double nanos(TrackedRequest oldest, LoadEstimate known, long now, long since) {
    long repliedAt = known.samples() == 0 ? oldest.sentAtNanos : known.repliedAtNanos();
    return now - latest(latest(repliedAt, oldest.sentAtNanos), since);
  }

  /** Returns the later of two moments of the monotonic clock. */
  static long latest(long a, long b) {
    return a - b >= 0 ? a : b;
  }
}
