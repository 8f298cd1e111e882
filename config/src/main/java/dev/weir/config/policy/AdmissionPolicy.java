package dev.weir.config.policy;

import java.time.Duration;

/**
 * What is let in.
 *
 * @param tenants whose a request is
 * @param pacing how fast requests may come
 * @param queue what waits for a node, and how much a node may have
 */
public record AdmissionPolicy(
    @ConfigKey(value = "1000", min = "1", max = "1000000", doc = "Coordinated requests in flight.")
        int maxInFlight,
    @Dynamic(false)
        @ConfigKey(
            value = "15%",
            min = "1mb",
            max = "1tb",
            doc = "Bytes of request bodies that requests in flight hold, on the heap.")
        ByteSize maxTotalBodyBytes,
    @Dynamic(false)
        @ConfigKey(
            value = "25%",
            min = "1mb",
            max = "1tb",
            doc =
                "Bytes of nodes' answers and of the answers to clients that requests in flight"
                    + " hold, on the heap.")
        ByteSize maxTotalResponseBytes,
    @ConfigKey(value = "1s", min = "1s", max = "1h", doc = "What Retry-After of a refusal says.")
        Duration retryAfter,
    TenantsPolicy tenants,
    PacingPolicy pacing,
    DeadlinePolicy deadline,
    CoalescingPolicy coalescing,
    RequestMemoryPolicy requestMemory,
    QueuePolicy queue) {}
