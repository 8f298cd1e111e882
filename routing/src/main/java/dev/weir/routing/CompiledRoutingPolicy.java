package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;

/**
 * A routing policy with the selector that carries it out. Immutable.
 *
 * @param policy as configured
 * @param selector orders copies by it
 */
record CompiledRoutingPolicy(RoutingPolicy policy, ReplicaSelector selector) {}
