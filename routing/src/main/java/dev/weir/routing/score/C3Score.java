package dev.weir.routing.score;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The corrected C3 score of a node, smaller is better: {@code R - S + qhat^b * S} with {@code qhat
 * = 1 + os * n + q}.
 *
 * <p>R is the response time measured here, S the node's service time, q its queue, os the requests
 * that this gateway has outstanding on it, and n the number of gateways that send to it (C3, NSDI
 * 2015; S is a time here, whereas the paper uses the service rate 1/S). With b = 3, a queue twice
 * as long costs eight times as much. Errors multiply the score. All arithmetic is in doubles: the
 * cube of 1291 does not fit an int. A higher input never lowers the score.
 *
 * @param clients n, at least 1
 * @param exponent b, at least 1
 * @param failurePenalty a node that only fails scores 1 + this many times as high
 */
public record C3Score(int clients, double exponent, double failurePenalty) {
  /** The upper bound of scores; keeps sums and products finite. */
  private static final double MAX_SCORE = 1e300;

  /** Returns the score function with a policy's parameters. */
  public static C3Score of(RoutingPolicy policy) {
    return new C3Score(
        policy.c3().gatewayCount(), policy.c3().queueExponent(), policy.health().failurePenalty());
  }

  /**
   * Returns the score.
   *
   * @param queueHat from {@link #queueHat}
   */
  public double of(double queueHat, double responseNanos, double serviceNanos, double errorRate) {
    // qhat >= 1 and b >= 1, so the queue costs at least S and the sum is at least R
    double queueCost = power(Math.max(1, queueHat)) * serviceNanos;
    double failureFactor = 1 + failurePenalty * errorRate;
    double score = (responseNanos + (queueCost - serviceNanos)) * failureFactor;
    return score < MAX_SCORE ? score : MAX_SCORE;
  }

  /** Returns qhat, the estimated number of requests at the node. */
  public double queueHat(int outstanding, double queueSize) {
    return 1 + (double) Math.max(0, outstanding) * clients + Math.max(0, queueSize);
  }

  private double power(double queueHat) {
    return exponent == 3 ? queueHat * queueHat * queueHat : Math.pow(queueHat, exponent);
  }
}
