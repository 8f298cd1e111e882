package dev.weir.routing.tail;

import dev.weir.config.policy.RoutingPolicy;
import java.util.function.LongSupplier;

/**
 * How often another copy may be asked after a node failed: a share of all requests and so many a
 * second, so that a failure of many nodes does not multiply what the others get. Safe on any
 * thread.
 */
public final class RetryBudget {
  private static final double NANOS = 1e9;

  private final RoutingPolicy.Retries policy;
  private final LongSupplier nanoTime;
  private double tokens;
  private long filledAtNanos;

  /** Makes a full budget. */
  public RetryBudget(RoutingPolicy.Retries policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.tokens = policy.burst();
    this.filledAtNanos = nanoTime.getAsLong();
  }

  /** Earns for a first request. */
  public synchronized void earn() {
    tokens = Math.min(policy.burst(), tokens + policy.share());
  }

  /** Takes a token, if one is left. */
  public synchronized boolean take() {
    fill();
    if (tokens < 1) {
      return false;
    }
    tokens -= 1;
    return true;
  }

  /** What is left. */
  public synchronized double tokens() {
    fill();
    return tokens;
  }

  private void fill() {
    long now = nanoTime.getAsLong();
    double earned = policy.perSecond() * (now - filledAtNanos) / NANOS;
    tokens = Math.min(policy.burst(), tokens + Math.max(0, earned));
    filledAtNanos = now;
  }
}
