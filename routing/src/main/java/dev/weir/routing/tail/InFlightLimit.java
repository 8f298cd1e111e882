package dev.weir.routing.tail;

/**
 * How many requests one gateway may have under way on one node: grows while the node reports no
 * queue, shrinks while it reports one. Safe on any thread.
 *
 * <p>Additive increase, multiplicative decrease: starts at 1.25 k for k threads; with a reported
 * queue over {@code max(2, k / 6)} times 0.9, once a response time; with an empty queue, when the
 * limit was reached or requests wait at the gateway, plus {@code min(1, 2 / limit)}. Gateways that
 * share a node so come to share it.
 */
public final class InFlightLimit {
  private static final double LEAST = 2;
  private static final double BACK = 0.9;
  private static final double BACK_WHEN_REFUSED = 0.7;
  private static final double LEAST_PAUSE_NANOS = 5e6;

  private final double threads;
  private volatile double limit;
  private long shrunkAtNanos;
  private boolean shrunk;

  /** Makes a limit for a node with so many threads. */
  public InFlightLimit(int threads) {
    this.threads = threads;
    this.limit = Math.max(LEAST, 1.25 * threads);
  }

  /** Whether one more may be sent. */
  public boolean hasRoom(int outstanding) {
    return outstanding < limit;
  }

  /** The limit. */
  public double limit() {
    return limit;
  }

  /**
   * Learns from an answer.
   *
   * @param queue as reported
   * @param outstanding when it was answered, itself among them
   * @param waiting whether requests wait at the gateway
   */
  public synchronized void replied(
      int queue, int outstanding, boolean waiting, long responseNanos, long nowNanos) {
    if (queue > Math.max(2, threads / 6)) {
      double pause = Math.max(LEAST_PAUSE_NANOS, (double) responseNanos);
      if (!shrunk || nowNanos - shrunkAtNanos > pause) {
        limit = Math.max(LEAST, limit * BACK);
        shrunkAtNanos = nowNanos;
        shrunk = true;
      }
    } else if (queue == 0 && (waiting || outstanding >= limit - 1)) {
      limit = Math.min(8 * threads, limit + Math.min(1, 2 / limit));
    }
  }

  /** Learns that the node refused work because it is full. */
  public synchronized void refused() {
    limit = Math.max(LEAST, limit * BACK_WHEN_REFUSED);
  }
}
