package dev.weir.routing.tail;

/**
 * The budget of hedged requests: a fraction of the first requests, with a burst. Safe on any
 * thread.
 *
 * <p>Half of the burst is reserved for stalled nodes, so that tokens are left when a node stops
 * responding.
 */
public final class HedgeBudget {
  private final double share;
  private final double burst;
  private double tokens;

  /**
   * Creates a full budget.
   *
   * @param share the tokens for each first request
   * @param burst the maximum number of tokens
   */
  public HedgeBudget(double share, double burst) {
    this.share = share;
    this.burst = burst;
    this.tokens = burst;
  }

  /** Adds the tokens for a first request. */
  public synchronized void deposit() {
    tokens = Math.min(burst, tokens + share);
  }

  /** Takes a token for a late request, if more than half of the tokens are left. */
  public synchronized boolean tryWithdrawForLate() {
    return tryWithdraw(1, burst / 2);
  }

  /** Takes a token for a request to a stalled node, if one is left. */
  public synchronized boolean tryWithdrawForStall() {
    return tryWithdraw(1, 1);
  }

  /**
   * Takes tokens for a search that starts over because of a stalled node: one for each shard, at
   * most half of the burst.
   */
  public synchronized boolean tryWithdrawForRestart(int shards) {
    double count = Math.clamp(shards, 1, Math.max(1, burst / 2));
    return tryWithdraw(count, count);
  }

  /** Returns the remaining tokens. */
  public synchronized double tokens() {
    return tokens;
  }

  private boolean tryWithdraw(double count, double least) {
    if (tokens < Math.max(count, least)) {
      return false;
    }
    tokens -= count;
    return true;
  }
}
