package dev.weir.routing.tail;

import dev.weir.config.policy.RoutingPolicy;
import java.util.function.LongSupplier;

/**
 * The budget of retries on another copy after a failed node: a fraction of all requests plus a
 * number per second, so that a failure of many nodes does not multiply the load of the others. Safe
 * on any thread.
 */
public final class RetryBudget {
  private static final double NANOS = 1e9;

  private final RoutingPolicy.Retries policy;
  private final LongSupplier nanoTime;
  private double tokens;
  private long filledAtNanos;

  /** Creates a full budget. */
  public RetryBudget(RoutingPolicy.Retries policy, LongSupplier nanoTime) {
    this.policy = policy;
    this.nanoTime = nanoTime;
    this.tokens = policy.maxBurst();
    this.filledAtNanos = nanoTime.getAsLong();
  }

  /** Adds the tokens for a first request. */
  public synchronized void deposit() {
    tokens = Math.min(policy.maxBurst(), tokens + policy.budgetRatio());
  }

  /** Takes a token, if one is left. */
  public synchronized boolean tryWithdraw() {
    refill();
    if (tokens < 1) {
      return false;
    }
    tokens -= 1;
    return true;
  }

  /** Returns the remaining tokens. */
  public synchronized double tokens() {
    refill();
    return tokens;
  }

  private void refill() {
    long now = nanoTime.getAsLong();
    double earned = policy.minRetriesPerSecond() * (now - filledAtNanos) / NANOS;
    tokens = Math.min(policy.maxBurst(), tokens + Math.max(0, earned));
    filledAtNanos = now;
  }
}
