package dev.weir.admission.memory;

import dev.weir.config.policy.RequestMemoryPolicy;

/**
 * The memory limits of one request.
 *
 * @param policy the configured settings
 * @param setBy the path of the section that sets them, for error messages
 */
public record RequestMemoryLimits(RequestMemoryPolicy policy, String setBy) {
  /**
   * Returns the limits of a policy's requests.
   *
   * @param name the policy's name; empty for the default policy
   */
  public static RequestMemoryLimits forPolicy(String name, RequestMemoryPolicy policy) {
    return new RequestMemoryLimits(
        policy,
        name.isEmpty() ? "admission.request-memory" : "policies." + name + ".request-memory");
  }
}
