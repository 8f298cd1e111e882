package dev.weir.core.coordinate;

import dev.weir.model.RequestPolicy;

/** Finds the {@link AttemptPolicy} for a request's policy. Safe on any thread. */
@FunctionalInterface
public interface AttemptPolicies {
  AttemptPolicy forPolicy(RequestPolicy policy);
}
