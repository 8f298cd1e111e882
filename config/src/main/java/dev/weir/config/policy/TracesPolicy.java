package dev.weir.config.policy;

import java.time.Duration;
import java.util.Map;

/** Which requests are recorded as OpenTelemetry traces, and where they are sent. */
public record TracesPolicy(
    @ConfigKey(
            value = "false",
            doc = "Whether the gateway records any request as an OpenTelemetry trace.")
        boolean enabled,
    @ConfigKey(
            value = "http://127.0.0.1:4318/v1/traces",
            doc = "URL of the collector, which receives spans by OTLP over HTTP.")
        String endpoint,
    @ConfigKey(value = "weir", doc = "The service.name of the spans.") String serviceName,
    @Dynamic
        @ConfigKey(
            value = "10",
            min = "0",
            max = "100",
            doc =
                "Percentage of the requests that the gateway records where the client's traceparent"
                    + " does not decide.")
        double samplePercent,
    @Dynamic
        @ConfigKey(
            value = "true",
            doc =
                "Whether the client's traceparent decides: a request of a sampled trace is always"
                    + " recorded, one of an unsampled trace never. false: sample-percent applies to"
                    + " these requests too.")
        boolean parentBasedSampling,
    @ConfigKey(
            value = "",
            secret = true,
            max = "16",
            doc = "HTTP headers of each export, such as Authorization with ${file:PATH}.")
        Map<String, String> headers,
    @ConfigKey(
            value = "5s",
            min = "100ms",
            max = "1m",
            doc =
                "How long one export may take, retries included. At shutdown the gateway waits this"
                    + " long for the last spans.")
        Duration exportTimeout,
    @ConfigKey(
            value = "4096",
            min = "512",
            max = "1000000",
            doc =
                "Spans that may wait to be exported, about 1 KB of heap each. The gateway drops"
                    + " further ones and counts them.")
        int maxQueuedSpans) {}
