package dev.weir.config.policy;

import java.time.Duration;

/** What the gateway does about clients that send or read slowly. */
public record SlowClientsPolicy(
    @ConfigKey(
            value = "1mb",
            min = "0b",
            max = "64mb",
            doc =
                "How much of a body that passes through the gateway gathers before the request"
                    + " takes a connection to a node. A longer body streams from there on. All"
                    + " gathered bodies take at most a quarter of admission.max-total-body-bytes.")
        ByteSize maxGatheredBytes,
    @ConfigKey(
            value = "1kb",
            min = "0b",
            max = "1gb",
            doc =
                "The least that a client must send of a body in a second, on average over 30"
                    + " seconds. The gateway closes the connection of a slower one. 0b: no limit.")
        ByteSize minBodyRate,
    @ConfigKey(
            value = "1h",
            min = "1s",
            max = "1d",
            doc = "How long a client may take to send a whole body.")
        Duration bodyTimeout,
    @ConfigKey(
            value = "8kb",
            min = "0b",
            max = "1gb",
            doc =
                "The least that a client must read of a response in a second, on average from its"
                    + " start. The gateway closes the connection of a slower one. 0b: no limit.")
        ByteSize minResponseRate,
    @ConfigKey(
            value = "30m",
            min = "1s",
            max = "1d",
            doc =
                "How long a client may take to read a response that the gateway holds in memory."
                    + " Exports and responses that pass through have no such limit.")
        Duration responseTimeout) {}
