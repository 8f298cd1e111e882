package dev.weir.routing;

import dev.weir.config.policy.RoutingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A routing policy made ready. Immutable.
 *
 * @param policy what the file says
 * @param selector orders copies
 */
record Routed(RoutingPolicy policy, ReplicaSelector selector) {

  /** By what requests are ordered; null where no score does it. */
  @Nullable RankedSelector ranked() {
    return selector instanceof RankedSelector ranked ? ranked : null;
  }

  /** By what requests are bound late; null where they are not. */
  @Nullable RankedSelector binding() {
    return policy.policy() == RoutingPolicy.Choice.ADAPTIVE && policy.lateBinding().enabled()
        ? ranked()
        : null;
  }
}
