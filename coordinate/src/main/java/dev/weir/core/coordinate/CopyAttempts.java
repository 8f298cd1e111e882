package dev.weir.core.coordinate;

import dev.weir.routing.ReplicaSelector;

/**
 * How a read tries the copies of a shard. Safe on any thread.
 *
 * @param policies decide whether to try one more copy
 * @param selector chooses the copy for each request
 */
public record CopyAttempts(AttemptPolicies policies, ReplicaSelector selector) {
  private static final ReplicaSelector AS_RANKED = (copies, count, phase) -> {};

  /** Sends each request to the copy that its plan puts first. */
  public static CopyAttempts inPlanOrder(AttemptPolicies policies) {
    return new CopyAttempts(policies, AS_RANKED);
  }
}
