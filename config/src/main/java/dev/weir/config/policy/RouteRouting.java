package dev.weir.config.policy;

import dev.weir.config.policy.RoutingPolicy.Choice;
import dev.weir.config.policy.RoutingPolicy.Hedging;
import dev.weir.config.policy.RoutingPolicy.Locality;
import dev.weir.config.policy.RoutingPolicy.Retries;

/**
 * How copies are put in order for the requests of some routes. What is known of nodes, and how it
 * is learned, is the same for all requests.
 */
public record RouteRouting(
    @Setting(value = "adaptive", doc = "As routing.policy.") Choice policy,
    Hedging hedging,
    Retries retries,
    Late lateBinding,
    Locality locality) {

  /** Whether reads are kept until a copy has room. */
  public record Late(
      @Setting(value = "false", doc = "As routing.late-binding.enabled.") boolean enabled) {}

  /** With what is the same for all requests. */
  RoutingPolicy within(RoutingPolicy whole) {
    RoutingPolicy.LateBinding binding = whole.lateBinding();
    return new RoutingPolicy(
        policy,
        whole.attributes(),
        whole.awayFactor(),
        whole.jitter(),
        whole.adaptive(),
        whole.c3(),
        whole.health(),
        hedging,
        retries,
        new RoutingPolicy.LateBinding(lateBinding.enabled(), binding.queue(), binding.maxWait()),
        locality,
        whole.explain());
  }
}
