package dev.weir.admission.queue;

import dev.weir.config.policy.QueuePolicy;
import java.time.Duration;

/**
 * The queue's settings. Times are in nanoseconds; 0 means automatic.
 *
 * @param enabled whether requests may wait
 * @param maxWaiting requests that may wait for one thread pool
 * @param maxWaitNanos the longest wait
 * @param bounds of each node's limit
 * @param targetResponseNanos the response time that {@link LittlesLawLimit} aims at
 * @param window over which the rate is measured
 */
record QueueSettings(
    boolean enabled,
    int maxWaiting,
    long maxWaitNanos,
    LimitBounds bounds,
    long targetResponseNanos,
    Window window) {

  /** The smallest and the largest limit. */
  record LimitBounds(int min, int max) {
    LimitBounds {
      min = Math.max(1, min);
      max = Math.max(min, max);
    }

    double clamp(double limit) {
      return Double.isNaN(limit) ? min : Math.clamp(limit, min, max);
    }
  }

  /** A window that ends after this many responses, or this much time, whichever comes first. */
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

  /** Returns whether other settings adapt limits in the same way. */
  boolean hasSameLimitSettings(QueueSettings other) {
    return bounds.equals(other.bounds)
        && targetResponseNanos == other.targetResponseNanos
        && window.equals(other.window);
  }

  private static long nanos(Duration time) {
    return Math.min(time.toMillis(), Duration.ofDays(1000).toMillis()) * 1_000_000;
  }
}
