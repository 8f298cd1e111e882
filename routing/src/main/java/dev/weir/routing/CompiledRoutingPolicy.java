package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A routing policy made ready. Immutable.
 *
 * @param policy what the file says
 * @param selector orders copies
 */
record CompiledRoutingPolicy(RoutingPolicy policy, ReplicaSelector selector) {

  /** By what requests are ordered; null where no score does it. */
  @Nullable ScoringSelector scoringSelector() {
    return selector instanceof ScoringSelector ranked ? ranked : null;
  }

  /** By what requests are bound late; null where they are not. */
  @Nullable ScoringSelector lateBindingSelector() {
    return policy.algorithm() == RoutingPolicy.Algorithm.ADAPTIVE && policy.lateBinding().enabled()
        ? scoringSelector()
        : null;
  }
}
