package dev.weir.admission.queue;

import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;

/**
 * The policy as the queues read it; times in nanoseconds, 0 for one that finds itself.
 *
 * @param enabled whether anything ever waits
 * @param waiting how many may wait of a class
 * @param maxWaitNanos for how long at most
 * @param bounds of each node's limit
 * @param targetNanos the response time that sizes the limit
 * @param frame in which the rate is measured
 */
record QueueTerms(
    boolean enabled, int waiting, long maxWaitNanos, Bounds bounds, long targetNanos, Frame frame) {

  /** What a limit is never below, and never above. */
  record Bounds(int least, int most) {
    Bounds {
      least = Math.max(1, least);
      most = Math.max(least, most);
    }

    double clamp(double limit) {
      return Double.isNaN(limit) ? least : Math.clamp(limit, least, most);
    }
  }

  /** So many answers, or so much time, whichever comes first. */
  record Frame(int tasks, long nanos) {}

  static QueueTerms of(QueuePolicy policy) {
    return new QueueTerms(
        policy.enabled(),
        policy.waiting(),
        nanos(policy.maxQueueWait().time()),
        new Bounds(policy.minInFlight(), policy.maxInFlight()),
        nanos(policy.targetResponseTime().time()),
        new Frame(policy.frame().tasks(), nanos(policy.frame().time())));
  }

  /** Whether limits are found as by other terms. */
  boolean sizesLike(QueueTerms other) {
    return bounds.equals(other.bounds)
        && targetNanos == other.targetNanos
        && frame.equals(other.frame);
  }

  private static long nanos(Duration time) {
    return Math.min(time.toMillis(), Duration.ofDays(1000).toMillis()) * 1_000_000;
  }
}
