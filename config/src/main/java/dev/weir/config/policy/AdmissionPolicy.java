package dev.weir.config.policy;

import java.time.Duration;

/**
 * Which requests the gateway admits.
 *
 * @param tenants how requests are attributed to tenants
 * @param pacing rate limits
 * @param queue waiting for nodes, and limits of calls to each node
 */
public record AdmissionPolicy(
    @ConfigKey(
            value = "1000",
            min = "1",
            max = "1000000",
            doc =
                "Requests that the gateway coordinates at once. It answers further ones with 429."
                    + " Requests that pass through to a node do not count.")
        int maxInFlight,
    @Dynamic(false)
        @ConfigKey(
            value = "15%",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes of request bodies that all requests in flight hold together, as a size"
                    + " or as a percentage of the heap. Requests beyond it get 429.")
        ByteSize maxTotalBodyBytes,
    @Dynamic(false)
        @ConfigKey(
            value = "25%",
            min = "1mb",
            max = "1tb",
            doc =
                "Heap bytes of node responses and of responses to clients that all requests in"
                    + " flight hold together, as a size or as a percentage of the heap. Requests"
                    + " beyond it get 429.")
        ByteSize maxTotalResponseBytes,
    @ConfigKey(
            value = "1s",
            min = "1s",
            max = "1h",
            doc = "The Retry-After header of responses with 429, in whole seconds.")
        Duration retryAfter,
    TenantsPolicy tenants,
    PacingPolicy pacing,
    DeadlinePolicy deadline,
    CoalescingPolicy coalescing,
    RequestMemoryPolicy requestMemory,
    QueuePolicy queue) {}
