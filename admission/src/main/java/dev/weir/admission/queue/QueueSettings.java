package dev.weir.admission.queue;

import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;

/**
 * The policy as the queues read it; times in nanoseconds, 0 for one that finds itself.
 *
 * @param enabled whether anything ever waits
 * @param maxWaiting how many may wait of a class
 * @param maxWaitNanos for how long at most
 * @param bounds of each node's limit
 * @param targetResponseNanos the response time that sizes the limit
 * @param window in which the rate is measured
 */
record QueueSettings(
    boolean enabled,
    int maxWaiting,
    long maxWaitNanos,
    LimitBounds bounds,
    long targetResponseNanos,
    Window window) {

  /** What a limit is never below, and never above. */
  record LimitBounds(int min, int max) {
    LimitBounds {
      min = Math.max(1, min);
      max = Math.max(min, max);
    }

    double clamp(double limit) {
      return Double.isNaN(limit) ? min : Math.clamp(limit, min, max);
    }
  }

  /** So many answers, or so much time, whichever comes first. */
  record Window(int maxRequests, long maxNanos) {}

  static QueueSettings of(QueuePolicy policy) {
    return new QueueSettings(
        policy.enabled(),
        policy.maxWaiting(),
        nanos(policy.maxWait().duration()),
        new LimitBounds(policy.minInFlightPerNode(), policy.maxInFlightPerNode()),
        nanos(policy.targetResponseTime().duration()),
        new Window(policy.window().maxRequests(), nanos(policy.window().maxDuration())));
  }

  /** Whether limits are found as by other terms. */
  boolean hasSameLimitSettings(QueueSettings other) {
    return bounds.equals(other.bounds)
        && targetResponseNanos == other.targetResponseNanos
        && window.equals(other.window);
  }

  private static long nanos(Duration time) {
    return Math.min(time.toMillis(), Duration.ofDays(1000).toMillis()) * 1_000_000;
  }
}
