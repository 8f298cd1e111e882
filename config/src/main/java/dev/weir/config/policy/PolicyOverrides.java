package dev.weir.config.policy;

/**
 * The keys that a named policy may set. A missing key has the value of the file's section of the
 * same name.
 */
public record PolicyOverrides(
    @InheritsFrom("traffic") TrafficPolicy traffic,
    @InheritsFrom("admission.deadline") DeadlinePolicy deadline,
    @InheritsFrom("admission.coalescing") CoalescingPolicy coalescing,
    @InheritsFrom("responses.trimming") TrimmingPolicy trimming,
    @InheritsFrom("responses.sampling") SamplingPolicy sampling,
    @InheritsFrom("routing") RoutingOverrides routing,
    @InheritsFrom("bulk") BulkOverrides bulk,
    @InheritsFrom("admission.request-memory") RequestMemoryOverrides requestMemory,
    @ConfigKey(
            value = "0",
            min = "0",
            max = "1000000",
            doc =
                "Coordinated requests of these routes at once. They count towards"
                    + " admission.max-in-flight too. 0: no limit of their own.")
        int maxInFlight) {}
