package dev.weir.http.proxy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The load of one node's REST port, as its responses show it. Safe on any thread; the lock is held
 * for arithmetic alone.
 */
final class ProxyTargetLoad {
  /** The weight of a new sample in the average. */
  private static final double EWMA_ALPHA = 0.2;

  /** One long request must not keep a node out for long. */
  private static final long MAX_SAMPLE_NANOS = Duration.ofSeconds(10).toNanos();

  /** After this time without a response an average is worth half: the node is tried again. */
  private static final double HALF_WEIGHT_NANOS = Duration.ofSeconds(2).toNanos();

  /** A node that rejects answers fast; its queue is what counts. */
  private static final double REJECTION_FACTOR = 4;

  /** A silent node counts as at most this many times slower than the others. */
  private static final double MAX_SILENCE_FACTOR = 16;

  private final AtomicInteger outstanding = new AtomicInteger();
  private double averageNanos;
  private long heardNanos;
  private long busySinceNanos;
  private volatile boolean ejected;
  private volatile long ejectedSinceNanos;

  int outstanding() {
    return outstanding.get();
  }

  /** Returns whether the node could not be reached a short time ago. */
  boolean isEjected(long now, long avoidNanos) {
    return ejected && now - ejectedSinceNanos < avoidNanos;
  }

  synchronized void onStarted(long now) {
    if (outstanding.getAndIncrement() == 0) {
      busySinceNanos = now;
    }
  }

  synchronized void onEnded(boolean reached, long now) {
    outstanding.decrementAndGet();
    if (reached) {
      ejected = false;
    } else {
      ejectedSinceNanos = now;
      ejected = true;
    }
  }

  /**
   * Adds a response.
   *
   * @param elapsedNanos from the request's last byte to the response's first
   * @param rejected whether the node was too busy for the request
   */
  synchronized void onResponse(long elapsedNanos, boolean rejected, long now) {
    double sample = Math.clamp(elapsedNanos, 1, MAX_SAMPLE_NANOS);
    if (rejected) {
      sample = Math.max(sample, REJECTION_FACTOR * averageNanos);
    }
    averageNanos = averageNanos == 0 ? sample : averageNanos + EWMA_ALPHA * (sample - averageNanos);
    averageNanos = Math.min(averageNanos, (double) MAX_SAMPLE_NANOS);
    heardNanos = now;
  }

  /** Returns the average response time in nanoseconds; 0 before the first response. */
  synchronized double averageNanos() {
    return averageNanos;
  }

  /**
   * Returns how long the next request would take, in any unit: the requests in front of it and
   * itself, times the expected response time.
   *
   * @param typicalNanos the average of all nodes; 0 while nothing is known of any
   */
  synchronized double cost(double typicalNanos, long now) {
    if (typicalNanos == 0) {
      return outstanding.get() + 1;
    }
    double expected = typicalNanos;
    if (averageNanos > 0) {
      double weight = HALF_WEIGHT_NANOS / (HALF_WEIGHT_NANOS + Math.max(0, now - heardNanos));
      expected += weight * (averageNanos - typicalNanos);
    }
    if (outstanding.get() > 0) {
      long since = averageNanos > 0 ? Math.max(heardNanos, busySinceNanos) : busySinceNanos;
      double silence = Math.min((double) (now - since), MAX_SILENCE_FACTOR * typicalNanos);
      expected = Math.max(expected, silence);
    }
    return (outstanding.get() + 1) * expected;
  }
}
