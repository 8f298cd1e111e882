package dev.weir.config.policy;

/**
 * What may be otherwise for the requests of some routes; whatever the file does not say is as in
 * the section of the whole gateway.
 */
public record OverridesPolicy(
    @Inherits("traffic") TrafficPolicy traffic,
    @Inherits("admission.deadline") DeadlinePolicy deadline,
    @Inherits("admission.coalescing") CoalescingPolicy coalescing,
    @Inherits("responses.trimming") TrimmingPolicy trimming,
    @Inherits("responses.sampling") SamplingPolicy sampling,
    @Inherits("routing") RouteRouting routing,
    @Inherits("bulk") RouteBulk bulk,
    @Inherits("admission.request-memory") RouteMemory requestMemory,
    @Setting(
            value = "0",
            min = "0",
            max = "1000000",
            doc =
                "Coordinated requests of these routes in flight at once; admission.max-in-flight"
                    + " counts them too. 0: no bound of their own.")
        int maxInFlight) {}
