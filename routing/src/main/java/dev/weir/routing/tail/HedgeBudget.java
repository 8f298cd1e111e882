package dev.weir.routing.tail;

/**
 * How many second requests may be sent: a share of the first ones, with a burst. Safe on any
 * thread.
 *
 * <p>Half of the burst is kept for stalls, so that a node that stops answering finds tokens left.
 */
public final class HedgeBudget {
  private final double share;
  private final double burst;
  private double tokens;

  /**
   * Makes a full budget.
   *
   * @param share tokens earned by a first request
   * @param burst tokens at most
   */
  public HedgeBudget(double share, double burst) {
    this.share = share;
    this.burst = burst;
    this.tokens = burst;
  }

  /** Earns for a first request. */
  public synchronized void deposit() {
    tokens = Math.min(burst, tokens + share);
  }

  /** Takes a token for a request that is merely late, if over half of them are left. */
  public synchronized boolean tryWithdrawForLate() {
    return tryWithdraw(burst / 2);
  }

  /** Takes a token for a request to a node that does not answer at all, if one is left. */
  public synchronized boolean tryWithdrawForStall() {
    return tryWithdraw(1);
  }

  /** What is left. */
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
