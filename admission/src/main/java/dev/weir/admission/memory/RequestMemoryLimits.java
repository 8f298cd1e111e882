package dev.weir.admission.memory;

import dev.weir.config.policy.RequestMemoryPolicy;

/**
 * The bounds of one request's memory.
 *
 * @param policy the settings in the file
 * @param setBy the path of the section that sets them, for error messages
 */
public record RequestMemoryLimits(RequestMemoryPolicy policy, String setBy) {
  /**
   * The limits of a policy's requests.
   *
   * @param name of the policy; empty for the default policy
   */
  public static RequestMemoryLimits forPolicy(String name, RequestMemoryPolicy policy) {
    return new RequestMemoryLimits(
        policy,
        name.isEmpty() ? "admission.request-memory" : "policies." + name + ".request-memory");
  }
}
