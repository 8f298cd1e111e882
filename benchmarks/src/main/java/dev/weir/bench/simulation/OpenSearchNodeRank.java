package dev.weir.bench.simulation;

/**
 * The rank of a node in OpenSearch and Elasticsearch, with {@code qhat = 1 + os * n + (int) q} and
 * times in milliseconds:
 *
 * <ul>
 *   <li>OpenSearch 3.8 ({@code ResponseCollectorService}): {@code R - 1/S + qhat^3 / S}. It divides
 *       by the service time where C3 uses the service rate, so that under queueing a slower node
 *       ranks better.
 *   <li>Elasticsearch 9.5 (the same class, with the formula adjustment): {@code qhat^3 * S}. With
 *       concurrent segment search, R and S measure different work, so that R - S is left out.
 * </ul>
 *
 * <p>n is the number of nodes with statistics. Each decision moves the other nodes' statistics
 * toward the winner's: q and R by the gain of the averages times half of the difference, S by half.
 */
final class OpenSearchNodeRank {
  private static final double GAIN = 0.3;
  private static final double MILLI = 1e6;

  /** Whose formula. */
  enum Formula {
    OPENSEARCH_3_8,
    ELASTICSEARCH_9_5
  }

  private final Formula formula;
  private double queue;
  private double responseNanos;
  private double serviceNanos;
  private boolean isKnown;
  private long responses;

  OpenSearchNodeRank(Formula formula) {
    this.formula = formula;
  }

  /** Adds a response, which counts as an observation. */
  void addResponse(double reportedQueue, double response, double service) {
    responses++;
    add(reportedQueue, response, service);
  }

  /** Returns the number of responses. */
  long responses() {
    return responses;
  }

  /** Adds a response with the load that the node reported. */
  synchronized void add(double reportedQueue, double response, double service) {
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

  /** Moves these statistics toward those of the node that was chosen instead. */
  void adjustToward(OpenSearchNodeRank winner) {
    double[] other = winner.values();
    double[] own = values();
    add(
        Math.floor((Math.floor(other[0]) + Math.floor(own[0])) / 2),
        (other[1] + own[1]) / 2,
        (other[2] + own[2]) / 2);
  }

  /** Returns whether the node has reported statistics. */
  synchronized boolean isKnown() {
    return isKnown;
  }

  /**
   * Returns the rank; smaller is better.
   *
   * @param outstanding this gateway's outstanding requests; 0 counts as 1
   * @param nodes the number of nodes with statistics
   */
  synchronized double rank(int outstanding, int nodes) {
    double queueHat = 1 + (double) Math.max(1, outstanding) * nodes + Math.floor(queue);
    double service = Math.max(1e-6, serviceNanos / MILLI);
    double cube = queueHat * queueHat * queueHat;
    return switch (formula) {
      case OPENSEARCH_3_8 -> responseNanos / MILLI - 1 / service + cube / service;
      case ELASTICSEARCH_9_5 -> cube * service;
    };
  }

  /** Returns queue, response time and service time; times in nanoseconds. */
  private synchronized double[] values() {
    return new double[] {queue, responseNanos, serviceNanos};
  }
}
