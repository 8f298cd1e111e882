package dev.weir.routing.estimate;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The averages of one node and phase for the C3 score; immutable.
 *
 * @param samples responses so far
 * @param responseNanos average response time
 * @param serviceNanos average of the reported service time; 0 without a report
 * @param queueSize average of the reported queue, as of {@code queueReportedNanos}
 * @param queueReportedNanos the time of the last queue report
 */
public record C3Averages(
    long samples,
    double responseNanos,
    double serviceNanos,
    double queueSize,
    long queueReportedNanos) {

  /** No samples. */
  public static final C3Averages NONE = new C3Averages(0, 0, 0, 0, 0);

  /** The assumed queue of a node that rejects work without reporting its queue. */
  private static final double FULL_QUEUE = 1000;

  /**
   * Adds a response.
   *
   * @param queue negative if not reported
   * @param service zero or negative if not reported
   */
  public C3Averages withResponse(
      long response, int queue, long service, long now, RoutingPolicy.C3 policy) {
    double alpha = policy.ewmaAlpha();
    double taken = Math.max(0L, response);
    double reported = service;
    return new C3Averages(
        samples + 1,
        samples == 0 ? taken : mix(responseNanos, taken, alpha),
        service <= 0
            ? serviceNanos
            : serviceNanos == 0 ? reported : mix(serviceNanos, reported, alpha),
        queue < 0 ? queueSize : samples == 0 ? queue : mix(queueSize, queue, alpha),
        queue < 0 ? queueReportedNanos : now);
  }

  /** Adds a rejection by a full node. */
  public C3Averages withRejection(long now, RoutingPolicy.C3 policy) {
    double queue = mix(decayedQueue(now, policy), FULL_QUEUE, policy.ewmaAlpha());
    return new C3Averages(samples, responseNanos, serviceNanos, queue, now);
  }

  /** Returns the queue, decayed since its report. */
  public double decayedQueue(long now, RoutingPolicy.C3 policy) {
    return queueSize * decayFactor(now - queueReportedNanos, policy.queueDecayTime().toNanos());
  }

  static double decayFactor(long ageNanos, long memoryNanos) {
    return ageNanos <= 0 ? 1 : Math.exp(-(double) ageNanos / memoryNanos);
  }

  private static double mix(double old, double sample, double alpha) {
    return old + alpha * (sample - old);
  }
}
