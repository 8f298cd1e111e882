package dev.weir.core.coordinate;

import dev.weir.model.RequestPolicy;

/** Who decides by which policy whether one more copy is asked. Safe on any thread. */
@FunctionalInterface
public interface AttemptPolicies {
  /** Who decides for the requests of a policy. */
  AttemptPolicy forPolicy(RequestPolicy policy);
}
