package dev.weir.routing.estimate;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The averages of one node and phase that the C3 rank is made of; immutable.
 *
 * @param samples answers so far
 * @param responseNanos average response time
 * @param serviceNanos average of the reported service time; 0 while none was reported
 * @param queueSize average of the reported queue, as of {@code queueAtNanos}
 * @param queueReportedNanos when a queue was last reported
 * @param repliedAtNanos when the node last answered
 */
public record C3Averages(
    long samples,
    double responseNanos,
    double serviceNanos,
    double queueSize,
    long queueReportedNanos,
    long repliedAtNanos) {

  /** Nothing known. */
  public static final C3Averages NONE = new C3Averages(0, 0, 0, 0, 0, 0);

  /** What a full queue counts as when a node refuses work without saying how much is waiting. */
  private static final double FULL_QUEUE = 1000;

  /**
   * With one more answer.
   *
   * @param queue negative when not reported
   * @param service zero or negative when not reported
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
        queue < 0 ? queueReportedNanos : now,
        now);
  }

  /** With one refusal because the node is full. */
  public C3Averages withRejection(long now, RoutingPolicy.C3 policy) {
    double queue = mix(decayedQueue(now, policy), FULL_QUEUE, policy.ewmaAlpha());
    return new C3Averages(samples, responseNanos, serviceNanos, queue, now, repliedAtNanos);
  }

  /** The queue as it may still be. */
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
