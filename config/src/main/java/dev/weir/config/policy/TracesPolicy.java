package dev.weir.config.policy;

import java.time.Duration;
import java.util.Map;

/** Which requests are recorded as OpenTelemetry traces, and where they are sent. */
public record TracesPolicy(
    @ConfigKey(value = "false", doc = "Whether any request is recorded.") boolean enabled,
    @ConfigKey(
            value = "http://127.0.0.1:4318/v1/traces",
            doc = "Where spans are sent: a collector's address for OTLP over HTTP.")
        String endpoint,
    @ConfigKey(value = "weir", doc = "The service that the spans are of.") String serviceName,
    @Dynamic
        @ConfigKey(
            value = "10",
            min = "0",
            max = "100",
            doc =
                "How many percent of the requests are recorded of which no traceparent says whether"
                    + " they are.")
        double samplePercent,
    @Dynamic
        @ConfigKey(
            value = "true",
            doc =
                "Whether a client's traceparent decides alone: a request of a sampled trace is"
                    + " always recorded, of another one never. Otherwise sample-percent counts for"
                    + " these too.")
        boolean parentBasedSampling,
    @ConfigKey(
            value = "",
            secret = true,
            max = "16",
            doc = "Headers to send along, such as Authorization with ${file:PATH}.")
        Map<String, String> headers,
    @ConfigKey(
            value = "5s",
            min = "100ms",
            max = "1m",
            doc =
                "How long sending may take, with attempts after a failure; what is left at the end"
                    + " is waited for as long.")
        Duration exportTimeout,
    @ConfigKey(
            value = "4096",
            min = "512",
            max = "1000000",
            doc =
                "So many spans wait to be sent at most, about 1 KB of the heap each; further ones"
                    + " are dropped.")
        int maxQueuedSpans) {}
