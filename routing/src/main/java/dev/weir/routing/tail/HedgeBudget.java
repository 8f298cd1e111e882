package dev.weir.routing.tail;

import java.util.function.LongSupplier;

/**
 * The budget of hedged requests: a fraction of the first requests, with a burst. Safe on any
 * thread.
 *
 * <p>Half of the burst is reserved for stalled nodes, so that tokens are left when a node stops
 * responding. While no first request comes, because all clients wait for stalled nodes, no token is
 * earned: then ten requests a second to such nodes need none.
 */
public final class HedgeBudget {
  private static final long IDLE_INTERVAL_NANOS = 100_000_000;

  private final double share;
  private final double burst;
  private final LongSupplier nanoTime;
  private double tokens;

  /** When the last request went. */
  private long lastProgressNanos;

  /**
   * Creates a full budget.
   *
   * @param share the tokens for each first request
   * @param burst the maximum number of tokens
   * @param nanoTime the monotonic clock
   */
  public HedgeBudget(double share, double burst, LongSupplier nanoTime) {
    this.share = share;
    this.burst = burst;
    this.nanoTime = nanoTime;
    this.lastProgressNanos = nanoTime.getAsLong();
    this.tokens = burst;
  }

  /** Adds the tokens for a first request. */
  public synchronized void deposit() {
    tokens = Math.min(burst, tokens + share);
    lastProgressNanos = nanoTime.getAsLong();
  }

  /** Takes a token for a late request, if more than half of the tokens are left. */
  public synchronized boolean tryWithdrawForLate() {
    return tryWithdraw(1, burst / 2);
  }

  /** Takes a token for a request to a stalled node, if one is left. */
  public synchronized boolean tryWithdrawForStall() {
    return tryWithdraw(1, 1) || tryGoOn();
  }

  /**
   * Takes tokens for a search that starts over because of a stalled node: one for each shard, at
   * most half of the burst.
   */
  public synchronized boolean tryWithdrawForRestart(int shards) {
    double count = Math.clamp(shards, 1, Math.max(1, burst / 2));
    return tryWithdraw(count, count) || tryGoOn();
  }

  /** Returns the remaining tokens. */
  public synchronized double tokens() {
    return tokens;
  }

  /** Returns true for one request if nothing has gone on for a while. */
  private boolean tryGoOn() {
    long now = nanoTime.getAsLong();
    if (now - lastProgressNanos < IDLE_INTERVAL_NANOS) {
      return false;
    }
    lastProgressNanos = now;
    return true;
  }

  private boolean tryWithdraw(double count, double least) {
    if (tokens < Math.max(count, least)) {
      return false;
    }
    tokens -= count;
    lastProgressNanos = nanoTime.getAsLong();
    return true;
  }
}
