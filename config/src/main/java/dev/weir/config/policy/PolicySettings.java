package dev.weir.config.policy;

import java.time.Duration;

/**
 * The settings of the requests of one policy, with inherited values filled in.
 *
 * @param maxInFlight requests in flight; 0 for no limit of their own
 * @param retryAfter the {@code Retry-After} of requests beyond that limit
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

  /** Returns the settings of requests without a named policy. */
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

  /** Returns the settings of a named policy's requests. */
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
