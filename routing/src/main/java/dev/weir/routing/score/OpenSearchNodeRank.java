package dev.weir.routing.score;

/**
 * OpenSearch's rank of a node (3.8, {@code ResponseCollectorService}), for comparison: {@code R -
 * 1/S + qhat^3 / S} with {@code qhat = 1 + os * n + (int) q}, times in milliseconds.
 *
 * <p>C3 has the service rate where this divides by the service time, so under queueing a slower
 * node ranks better. n is the number of nodes with statistics. Statistics are moved toward the
 * winner's at every decision: q and R by the averages' gain over half of the way, S by half.
 */
public final class OpenSearchNodeRank {
  private static final double GAIN = 0.3;
  private static final double MILLI = 1e6;

  private double queue;
  private double responseNanos;
  private double serviceNanos;
  private boolean isKnown;

  /** Takes an answer with its report. */
  public synchronized void add(double reportedQueue, double response, double service) {
    if (!isKnown) {
      queue = reportedQueue;
      responseNanos = response;
      isKnown = true;
    } else {
      queue += GAIN * (reportedQueue - queue);
      responseNanos += GAIN * (response - responseNanos);
    }
    serviceNanos = service;
  }

  /** Moves a loser toward the winner, as every decision does. */
  public void adjustToward(OpenSearchNodeRank winner) {
    double[] other = winner.values();
    double[] own = values();
    add(
        Math.floor((Math.floor(other[0]) + Math.floor(own[0])) / 2),
        (other[1] + own[1]) / 2,
        (other[2] + own[2]) / 2);
  }

  /** Whether anything was reported. */
  public synchronized boolean isKnown() {
    return isKnown;
  }

  /**
   * The rank, smaller is better.
   *
   * @param outstanding as this gateway counts; none counts as one
   * @param nodes with statistics
   */
  public synchronized double rank(int outstanding, int nodes) {
    double queueHat = 1 + (double) Math.max(1, outstanding) * nodes + Math.floor(queue);
    double service = Math.max(1e-6, serviceNanos / MILLI);
    return responseNanos / MILLI - 1 / service + queueHat * queueHat * queueHat / service;
  }

  /** Queue, response time and service time, to be shown; times in nanoseconds. */
  public synchronized double[] values() {
    return new double[] {queue, responseNanos, serviceNanos};
  }
}
