package dev.weir.admission.memory;

import dev.weir.config.policy.RequestMemoryPolicy;

/**
 * What one request may hold.
 *
 * @param policy what the file says
 * @param setBy the section that says how much, as people are told
 */
public record RequestMemoryLimits(RequestMemoryPolicy policy, String setBy) {
  /** Those of the requests of a policy; empty for the one without a name. */
  public static RequestMemoryLimits forPolicy(String name, RequestMemoryPolicy policy) {
    return new RequestMemoryLimits(
        policy,
        name.isEmpty() ? "admission.request-memory" : "policies." + name + ".request-memory");
  }
}
