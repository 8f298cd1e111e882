package dev.weir.config.policy;

import java.time.Duration;

/** The door for operators. */
public record AdminPolicy(
    @ConfigKey(value = "127.0.0.1:9250", doc = "Where health, metrics and explanations are served.")
        HostPort listen,
    @Dynamic
        @ConfigKey(
            value = "0s",
            min = "0s",
            max = "1h",
            doc =
                "How long connections are still accepted once the gateway is told to stop and"
                    + " /readyz says so: what balancers need to notice.")
        Duration drainDelay,
    @Dynamic
        @ConfigKey(
            value = "30s",
            min = "0s",
            max = "1h",
            doc =
                "How long requests in flight may take to finish once the gateway is told to stop.")
        Duration drainTimeout) {}
