package dev.weir.config.policy;

import dev.weir.config.policy.RoutingPolicy.Algorithm;
import dev.weir.config.policy.RoutingPolicy.Hedging;
import dev.weir.config.policy.RoutingPolicy.Locality;
import dev.weir.config.policy.RoutingPolicy.Retries;

/**
 * How copies are put in order for the requests of some routes. What is known of nodes, and how it
 * is learned, is the same for all requests.
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

  /** With what is the same for all requests. */
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
