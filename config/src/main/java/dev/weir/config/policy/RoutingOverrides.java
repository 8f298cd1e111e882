package dev.weir.config.policy;

import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.config.policy.RoutingPolicy.Hedging;
import dev.weir.config.policy.RoutingPolicy.Locality;
import dev.weir.config.policy.RoutingPolicy.Retries;

/**
 * How the copies of a shard are ranked for the requests of some routes. What the gateway learns
 * about nodes, and how, is the same for all requests.
 */
public record RoutingOverrides(
    @ConfigKey(
            value = "adaptive",
            doc =
                "How the gateway ranks a shard's copies for these routes, like routing.algorithm.")
        Algorithm algorithm,
    Hedging hedging,
    Retries retries,
    Locality locality) {

  /** Returns the routing policy of these routes, with the keys that all requests share. */
  RoutingPolicy applyTo(RoutingPolicy whole) {
    return new RoutingPolicy(
        algorithm,
        whole.gatewayAttributes(),
        whole.remotePenalty(),
        whole.scoreJitterRatio(),
        whole.adaptive(),
        whole.c3(),
        whole.health(),
        hedging,
        retries,
        locality,
        whole.explain());
  }
}
