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
    return tryWithdraw(burst / 2);
  }

  /** Takes a token for a request to a stalled node, if one is left. */
  public synchronized boolean tryWithdrawForStall() {
    return tryWithdraw(1);
  }

  /** Returns the remaining tokens. */
  public synchronized double tokens() {
    return tokens;
  }

  private boolean tryWithdraw(double least) {
    if (tokens < Math.max(1, least)) {
      return false;
    }
    tokens -= 1;
    return true;
  }
}
