package dev.weir.config.policy;

import java.time.Duration;

/**
 * The settings of the requests of one policy, with inherited values filled in.
 *
 * @param maxInFlight requests at once; 0 for no bound of their own
 * @param retryAfter the Retry-After of requests beyond that
 */
public record PolicySettings(
    TrafficPolicy traffic,
    DeadlinePolicy deadline,
    CoalescingPolicy coalescing,
    TrimmingPolicy trimming,
    SamplingPolicy sampling,
    RoutingPolicy routing,
    BulkPolicy bulk,
    RequestMemoryPolicy requestMemory,
    int maxInFlight,
    Duration retryAfter) {

  /** Of requests that no route names a policy for. */
  static PolicySettings defaults(GatewayPolicy whole) {
    return new PolicySettings(
        whole.traffic(),
        whole.admission().deadline(),
        whole.admission().coalescing(),
        whole.responses().trimming(),
        whole.responses().sampling(),
        whole.routing(),
        whole.bulk(),
        whole.admission().requestMemory(),
        0,
        whole.admission().retryAfter());
  }

  /** Of the requests of a policy. */
  static PolicySettings withOverrides(PolicyOverrides own, GatewayPolicy whole) {
    return new PolicySettings(
        own.traffic(),
        own.deadline(),
        own.coalescing(),
        own.trimming(),
        own.sampling(),
        own.routing().applyTo(whole.routing()),
        own.bulk().applyTo(whole.bulk()),
        own.requestMemory().applyTo(whole.admission().requestMemory()),
        own.maxInFlight(),
        whole.admission().retryAfter());
  }
}
