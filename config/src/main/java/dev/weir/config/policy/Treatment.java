package dev.weir.config.policy;

/**
 * How requests are treated that go by one policy, or by none: what the policy says, and what holds
 * for all where it says nothing.
 */
public record Treatment(
    TrafficPolicy traffic,
    DeadlinePolicy deadline,
    CoalescingPolicy coalescing,
    TrimmingPolicy trimming,
    SamplingPolicy sampling,
    RoutingPolicy routing) {

  /** Of requests that no route names a policy for. */
  static Treatment standard(GatewayPolicy whole) {
    return new Treatment(
        whole.traffic(),
        whole.admission().deadline(),
        whole.admission().coalescing(),
        whole.responses().trimming(),
        whole.responses().sampling(),
        whole.routing());
  }

  /** Of the requests of a policy. */
  static Treatment of(OverridesPolicy own, GatewayPolicy whole) {
    return new Treatment(
        own.traffic(),
        own.deadline(),
        own.coalescing(),
        own.trimming(),
        own.sampling(),
        own.routing().within(whole.routing()));
  }
}
