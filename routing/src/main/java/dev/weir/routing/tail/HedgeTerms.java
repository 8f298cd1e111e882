package dev.weir.routing.tail;

/**
 * When second requests are sent.
 *
 * @param share of first requests that a second one may follow
 * @param burst second requests at most before the share counts
 * @param quantile of response times after which a request is late
 * @param idleShare an ordinary second request needs a node with less than this load a thread
 */
public record HedgeTerms(double share, double burst, double quantile, double idleShare) {
  /**
   * 3 % with a burst of 100, after the 95th percentile, to nodes with half of their threads free.
   */
  public static final HedgeTerms STANDARD = new HedgeTerms(0.025, 100, 0.95, 0.5);
}
