package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;

/**
 * A routing policy with its selector. Immutable.
 *
 * @param policy as configured
 * @param selector ranks copies by the policy
 */
record CompiledRoutingPolicy(RoutingPolicy policy, ReplicaSelector selector) {}
