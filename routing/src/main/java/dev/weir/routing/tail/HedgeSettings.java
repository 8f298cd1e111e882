package dev.weir.routing.tail;

import dev.weir.config.policy.RoutingPolicy;

/**
 * When second requests are sent.
 *
 * @param share of first requests that a second one may follow
 * @param burst second requests at most before the share counts
 * @param quantile of response times after which a request is late
 * @param idleShare an ordinary second request needs a node with less than this load a thread
 */
public record HedgeSettings(double share, double burst, double quantile, double idleShare) {
  /** An ordinary second request needs half of the node's threads free. */
  private static final double IDLE_SHARE = 0.5;

  /** As the policy has them. */
  public static HedgeSettings of(RoutingPolicy.Hedging policy) {
    return new HedgeSettings(
        policy.budgetRatio(), policy.maxBurst(), policy.latencyQuantile(), IDLE_SHARE);
  }
}
