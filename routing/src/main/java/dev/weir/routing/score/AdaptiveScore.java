package dev.weir.routing.score;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The response time to expect from a node, with what makes it doubtful; smaller is better:
 *
 * <pre>{@code
 * (s * (c + ((L + 1) / k)^2) + b + w * silence) * (1 + p * errors)
 * }</pre>
 *
 * <p>s is the node's service time, c the request's cost over the mean, L the load at the node, k
 * its threads, b what answers take beyond the prediction. The square stands for waiting: little
 * while threads are free, and twice the load costs four times as much. Raising s, L, b, silence or
 * errors never lowers the score. All times in nanoseconds.
 *
 * @param silenceWeight w
 * @param failurePenalty p
 */
public record AdaptiveScore(double silenceWeight, double failurePenalty) {
  private static final double MAX_SCORE = 1e300;
  private static final double MIN_NANOS = 1;

  /** What a threads' worth of load counts as while q is 0: one thread is half free. */
  private static final double HALF = 0.5;

  /** The score with a policy's parameters. */
  public static AdaptiveScore of(RoutingPolicy policy) {
    return new AdaptiveScore(
        policy.adaptive().noResponseWeight(), policy.health().failurePenalty());
  }

  /**
   * L, the requests at the node: what is ours at least; while the last report is fresh what it
   * says, later what others are known to put there.
   *
   * @param own ours under way
   * @param others others' on average
   * @param queue as last reported
   * @param sentSince ours sent after that report
   * @param threads k
   * @param fresh 1 just reported, toward 0 with age; see {@link #freshness}
   */
  public static double load(
      int own, double others, double queue, int sentSince, int threads, double fresh) {
    double believed = own + others;
    double running = Math.min(threads - HALF, believed);
    // a queue of half a request or more means that all threads are busy
    double reported = (queue >= HALF ? threads + queue : running) + sentSince;
    return Math.max(own, fresh * reported + (1 - fresh) * believed);
  }

  /** How far a report can be relied on: it is worth a third after two service times. */
  public static double freshness(double ageNanos, double serviceNanos) {
    return ageNanos <= 0 ? 1 : Math.exp(-ageNanos / (2 * serviceNanos + 1e6));
  }

  /** The response time to expect, without the residual. */
  public static double predictedNanos(double serviceNanos, double cost, double load, int threads) {
    double share = (load + 1) / threads;
    return serviceNanos * (cost + share * share);
  }

  /**
   * The response time to expect; the residual takes away at most 95 % of a service time's worth.
   */
  public static double expectedNanos(
      double serviceNanos, double cost, double load, int threads, double residualNanos) {
    double expected = predictedNanos(serviceNanos, cost, load, threads) + residualNanos;
    return bounded(Math.max(0.05 * serviceNanos, expected));
  }

  /** The score. */
  public double of(double expectedNanos, double silenceNanos, double errorRate) {
    return bounded(
        (expectedNanos + silenceWeight * Math.max(0, silenceNanos))
            * (1 + failurePenalty * errorRate));
  }

  private static double bounded(double score) {
    return score < MAX_SCORE ? Math.max(MIN_NANOS, score) : MAX_SCORE;
  }
}
