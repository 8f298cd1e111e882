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
 * @param targetResponseNanos the response time of a call that {@link LittlesLawLimit} aims at: the
 *     policy's target less the wait before it, at most a tenth
 * @param window over which the rate is measured
 */
record QueueSettings(
    boolean enabled,
    int maxWaiting,
    long maxWaitNanos,
    LimitBounds bounds,
    long targetResponseNanos,
    Window window) {
  private static final int WAIT_DIVISOR = 10;

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
    long target = nanos(policy.targetResponseTime().duration());
    long maxWait = nanos(policy.maxWait().duration());
    long wait = target / WAIT_DIVISOR;
    return new QueueSettings(
        policy.enabled(),
        policy.maxWaiting(),
        maxWait,
        new LimitBounds(policy.minInFlightPerNode(), policy.maxInFlightPerNode()),
        target - (maxWait > 0 ? Math.min(wait, maxWait) : wait),
        new Window(policy.window().maxRequests(), nanos(policy.window().maxDuration())));
  }

  /**
   * Returns these settings for one thread pool. Searches with a target response time wait for a
   * tenth of it, unless the policy says how long they may wait.
   */
  QueueSettings forThreadPool(NodeThreadPool threadPool) {
    if (threadPool != NodeThreadPool.SEARCH || targetResponseNanos == 0 || maxWaitNanos > 0) {
      return this;
    }
    long wait = Math.max(1, targetResponseNanos / (WAIT_DIVISOR - 1));
    return new QueueSettings(enabled, maxWaiting, wait, bounds, targetResponseNanos, window);
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
