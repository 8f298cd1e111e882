package dev.weir.http.proxy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The load of one node's REST port, as its responses show it. Safe on any thread; the lock is held
 * for arithmetic alone.
 */
final class ProxyTargetLoad {
  /** What a response says about its node. */
  enum ResponseKind {
    /** The node carried the request out. */
    SUCCESS,
    /** The request asked for something that the node can't do; other nodes would say the same. */
    REQUEST_ERROR,
    /** The node failed, or did not accept the client: another node may answer otherwise. */
    NODE_ERROR,
    /** The node was too busy for the request. */
    REJECTION;

    boolean isNodeFailure() {
      return this == NODE_ERROR || this == REJECTION;
    }
  }

  /**
   * The load at one moment.
   *
   * @param outstanding requests that the node has not answered
   * @param averageNanos the average response time; 0 before the first response
   * @param weight how much the averages are worth, from 1 (just measured) down to 0
   * @param silenceNanos for how long the node has answered none of its outstanding requests
   * @param failureRatio the part of recent responses that were failures of the node, times the
   *     weight
   */
  record Snapshot(
      int outstanding,
      double averageNanos,
      double weight,
      double silenceNanos,
      double failureRatio) {
    /** A node of which nothing is known. */
    static final Snapshot UNKNOWN = new Snapshot(0, 0, 0, 0, 0);

    /**
     * Returns how long the next request would take, in any unit: the requests in front of it and
     * itself, times the expected response time.
     *
     * @param typicalNanos the average of all nodes; 0 while nothing is known of any
     * @param leastFailureRatio that of the best node: what all nodes refuse is the clients' fault
     */
    double cost(double typicalNanos, double leastFailureRatio) {
      double expected = 1;
      if (typicalNanos > 0) {
        expected = typicalNanos;
        if (averageNanos > 0) {
          expected += weight * (averageNanos - typicalNanos);
        }
        expected = Math.max(expected, Math.min(silenceNanos, MAX_SILENCE_FACTOR * typicalNanos));
      }
      double excess = Math.max(0, failureRatio - leastFailureRatio);
      return (outstanding + 1) * expected * (1 + FAILURE_FACTOR * excess * excess);
    }
  }

  /** The weight of a new sample in the averages. */
  private static final double EWMA_ALPHA = 0.2;

  /** One long request must not keep a node out for long. */
  private static final long MAX_SAMPLE_NANOS = Duration.ofSeconds(10).toNanos();

  /** After this time without a response an average is worth half: the node is tried again. */
  private static final double HALF_WEIGHT_NANOS = Duration.ofSeconds(2).toNanos();

  /** A node that rejects answers fast; its queue is what counts. */
  private static final double REJECTION_FACTOR = 4;

  /** A silent node counts as at most this many times slower than the others. */
  private static final double MAX_SILENCE_FACTOR = 16;

  /**
   * A node of which all requests fail costs this much more than its response time; squared, so that
   * a small difference between nodes, which is chance, makes none.
   */
  private static final double FAILURE_FACTOR = 16;

  private final AtomicInteger outstanding = new AtomicInteger();
  private double averageNanos;
  private double failureRatio;
  private long lastResponseNanos;
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

  synchronized void onEnded(NodeContact contact, long now) {
    outstanding.decrementAndGet();
    switch (contact) {
      case MADE -> ejected = false;
      case FAILED -> {
        ejectedSinceNanos = now;
        ejected = true;
      }
      case UNKNOWN -> {
        // an ejected node stays so
      }
    }
  }

  /**
   * Adds a response. An error comes faster than what was asked for, so it never counts as faster
   * than the nodes' typical response.
   *
   * @param elapsedNanos from the request's last byte to the response's first
   * @param typicalNanos the average of all nodes; 0 while nothing is known of any
   */
  synchronized void onResponse(
      long elapsedNanos, ResponseKind kind, double typicalNanos, long now) {
    double failed = kind.isNodeFailure() ? 1 : 0;
    failureRatio *= weight(now);
    failureRatio += EWMA_ALPHA * (failed - failureRatio);
    double sample = Math.clamp(elapsedNanos, 1, MAX_SAMPLE_NANOS);
    if (kind == ResponseKind.REJECTION) {
      sample = Math.max(sample, REJECTION_FACTOR * averageNanos);
    }
    if (kind == ResponseKind.SUCCESS || typicalNanos > 0) {
      addSample(kind == ResponseKind.SUCCESS ? sample : Math.max(sample, typicalNanos));
    }
    lastResponseNanos = now;
  }

  private void addSample(double sample) {
    averageNanos = averageNanos == 0 ? sample : averageNanos + EWMA_ALPHA * (sample - averageNanos);
    averageNanos = Math.min(averageNanos, (double) MAX_SAMPLE_NANOS);
  }

  private double weight(long now) {
    return HALF_WEIGHT_NANOS / (HALF_WEIGHT_NANOS + Math.max(0, now - lastResponseNanos));
  }

  /** Returns the load now. */
  synchronized Snapshot snapshot(long now) {
    double weight = weight(now);
    int unanswered = outstanding.get();
    long silentSince =
        averageNanos > 0 ? Math.max(lastResponseNanos, busySinceNanos) : busySinceNanos;
    return new Snapshot(
        unanswered,
        averageNanos,
        weight,
        unanswered > 0 ? now - silentSince : 0,
        failureRatio * weight);
  }
}
