package dev.weir.routing.tail;

import dev.weir.config.policy.RoutingPolicy;

/**
 * The settings of hedged requests.
 *
 * @param share the maximum fraction of hedged requests
 * @param burst the maximum number of hedged requests in a burst
 * @param quantile the quantile of response times after which a request is late
 * @param idleShare the maximum load a thread of a node that gets the hedged request of a late one
 */
public record HedgeSettings(double share, double burst, double quantile, double idleShare) {
  /** A late request's hedged request needs half of the node's threads free. */
  private static final double IDLE_SHARE = 0.5;

  /** Returns the settings of a policy. */
  public static HedgeSettings of(RoutingPolicy.Hedging policy) {
    return new HedgeSettings(
        policy.budgetRatio(), policy.maxBurst(), policy.latencyQuantile(), IDLE_SHARE);
  }
}
