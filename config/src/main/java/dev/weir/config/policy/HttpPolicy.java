package dev.weir.config.policy;

import java.time.Duration;

/** The door for clients. */
public record HttpPolicy(
    @ConfigKey(value = "127.0.0.1:9200", doc = "Where clients are listened for.") HostPort listen,
    @ConfigKey(
            value = "false",
            doc =
                "Whether gateways of the same user on the same machine may listen on the same port,"
                    + " so that one can take the place of another without a connection refused"
                    + " (Linux). Such a gateway listens once it is ready, and each needs an"
                    + " admin.listen of its own.")
        boolean reusePort,
    @ConfigKey(
            value = "0",
            min = "0",
            max = "256",
            doc = "Event loops that serve clients and nodes; 0 means one for each processor.")
        int eventLoops,
    @ConfigKey(
            value = "100mb",
            min = "1kb",
            max = "1gb",
            doc =
                "The largest request body, as a node's http.max_content_length. More than half of"
                    + " admission.max-total-body-bytes is not gathered but streams through to a"
                    + " node.")
        ByteSize maxBodyBytes,
    @ConfigKey(
            value = "10000",
            min = "1",
            max = "1000000",
            doc =
                "Open client connections at most. For a further one the oldest gives way that has"
                    + " not sent its first request within a second.")
        int maxConnections,
    @ConfigKey(
            value = "1h",
            min = "1s",
            max = "1d",
            doc = "A client connection without any request for this long is closed.")
        Duration idleTimeout,
    CompressionPolicy compression,
    SniffingPolicy sniffing,
    TlsServerPolicy tls) {}
