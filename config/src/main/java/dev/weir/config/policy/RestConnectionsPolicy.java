package dev.weir.config.policy;

/** The connections to nodes' REST ports, each event loop's own. */
public record RestConnectionsPolicy(
    @ConfigKey(
            value = "128",
            min = "1",
            max = "10000",
            doc = "Connections at most that an event loop opens to one node.")
        int maxConnectionsPerLoop,
    @ConfigKey(
            value = "512",
            min = "0",
            max = "100000",
            doc =
                "Requests of an event loop that may wait for a connection to one node; further ones"
                    + " are refused.")
        int maxPending) {}
