package dev.weir.config.policy;

import java.time.Duration;

/** The admin port, for operators and monitoring. */
public record AdminPolicy(
    @ConfigKey(
            value = "127.0.0.1:9250",
            doc =
                "Address and port of the admin API: health, metrics, statistics, the effective"
                    + " configuration, explanations and the web page. Keep it off networks that"
                    + " clients can reach.")
        HostPort listen,
    @Dynamic
        @ConfigKey(
            value = "0s",
            min = "0s",
            max = "1h",
            doc =
                "How long the gateway still accepts new connections after it was told to stop,"
                    + " while /readyz already answers 503. Set it to the time that your load"
                    + " balancer needs to notice.")
        Duration drainDelay,
    @Dynamic
        @ConfigKey(
            value = "30s",
            min = "0s",
            max = "1h",
            doc =
                "How long the gateway waits, after the drain delay, for requests in flight to"
                    + " finish. It aborts those that take longer.")
        Duration drainTimeout) {}
