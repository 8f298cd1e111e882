package dev.weir.config.policy;

/** Limits of the connections to nodes' REST ports. Each event loop has its own connections. */
public record RestConnectionsPolicy(
    @ConfigKey(
            value = "128",
            min = "1",
            max = "10000",
            doc =
                "Connections that each event loop opens to one node's REST port, for requests that"
                    + " pass through. One connection carries one request at a time.")
        int maxConnectionsPerLoop,
    @ConfigKey(
            value = "512",
            min = "0",
            max = "100000",
            doc =
                "Requests of one event loop that may wait for a connection to one node. Further"
                    + " ones get 429.")
        int maxPending) {}
