package dev.weir.config.policy;

import java.time.Duration;

/** What is let in at once. */
public record AdmissionPolicy(
    @Setting(value = "1000", min = "1", max = "1000000", doc = "Coordinated requests in flight.")
        int maxInFlight,
    @Setting(
            value = "256mb",
            min = "1mb",
            max = "1tb",
            doc = "Bytes of request bodies held by requests in flight.")
        ByteSize maxInFlightBytes,
    @Setting(value = "1s", min = "1s", max = "1h", doc = "What Retry-After of a refusal says.")
        Duration retryAfter) {}
