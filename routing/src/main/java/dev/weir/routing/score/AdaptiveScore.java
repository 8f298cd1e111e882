package dev.weir.routing.score;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The expected response time of a node, increased by silence and errors; smaller is better:
 *
 * <pre>{@code
 * (s * (c + ((L + 1) / k)^2) + b + w * silence) * (1 + p * errors)
 * }</pre>
 *
 * <p>s is the node's service time, c the request's cost relative to the mean, L the load at the
 * node, k its threads, b the time that responses take beyond the prediction. The square models
 * waiting: it is small while threads are free, and twice the load costs four times as much. A
 * higher s, L, b, silence or error rate never lowers the score. All times are in nanoseconds.
 *
 * @param silenceWeight w
 * @param failurePenalty p
 */
public record AdaptiveScore(double silenceWeight, double failurePenalty) {
  private static final double MAX_SCORE = 1e300;
  private static final double MIN_NANOS = 1;

  /** While q is 0, at least half of one thread is assumed to be free. */
  private static final double HALF = 0.5;

  /** Returns the score function with a policy's parameters. */
  public static AdaptiveScore of(RoutingPolicy policy) {
    return new AdaptiveScore(
        policy.adaptive().noResponseWeight(), policy.health().failurePenalty());
  }

  /**
   * Returns L, the requests at the node: at least our own. While the last report is fresh it is the
   * reported load, later our own requests plus the average of others.
   *
   * @param own our outstanding requests
   * @param others the average number of other clients' requests
   * @param queue as last reported
   * @param sentSince our requests sent after that report
   * @param threads k
   * @param fresh 1 for a new report, falling to 0 with age; see {@link #freshness}
   */
  public static double load(
      int own, double others, double queue, int sentSince, int threads, double fresh) {
    double believed = own + others;
    double running = Math.min(threads - HALF, believed);
    // a queue of half a request or more means that all threads are busy
    double reported = (queue >= HALF ? threads + queue : running) + sentSince;
    return Math.max(own, fresh * reported + (1 - fresh) * believed);
  }

  /** Returns the weight of a report by its age: about a third after two service times. */
  public static double freshness(double ageNanos, double serviceNanos) {
    return ageNanos <= 0 ? 1 : Math.exp(-ageNanos / (2 * serviceNanos + 1e6));
  }

  /** Returns the expected response time without the residual. */
  public static double predictedNanos(double serviceNanos, double cost, double load, int threads) {
    double share = (load + 1) / threads;
    return serviceNanos * (cost + share * share);
  }

  /**
   * Returns the response time, without the residual, of a node that serves its queue in order: the
   * request waits for one service time for each k requests before it.
   */
  public static double inOrderNanos(double serviceNanos, double cost, double load, int threads) {
    return serviceNanos * (cost + (load + 1) / threads);
  }

  /** Returns the expected response time; the residual subtracts at most 95 % of a service time. */
  public static double expectedNanos(
      double serviceNanos, double cost, double load, int threads, double residualNanos) {
    double expected = predictedNanos(serviceNanos, cost, load, threads) + residualNanos;
    return bounded(Math.max(0.05 * serviceNanos, expected));
  }

  /** Returns the score. */
  public double of(double expectedNanos, double silenceNanos, double errorRate) {
    return bounded(
        (expectedNanos + silenceWeight * Math.max(0, silenceNanos))
            * (1 + failurePenalty * errorRate));
  }

  private static double bounded(double score) {
    return score < MAX_SCORE ? Math.max(MIN_NANOS, score) : MAX_SCORE;
  }
}
