package dev.weir.config.policy;

import java.time.Duration;

/** How the gateway warms copies of shards that are new on their node. */
public record WarmUpPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether a copy of a shard that is new on its node (the node came back, or the copy"
                    + " moved there) first gets recent searches again, whose responses are dropped."
                    + " Not on secured clusters.")
        boolean enabled,
    @ConfigKey(
            value = "30s",
            min = "100ms",
            max = "10m",
            doc =
                "How long a copy is warmed at most. Until then clients' reads go to other copies,"
                    + " if there are any. It ends earlier once repeated searches get no faster.")
        Duration maxDuration,
    @ConfigKey(
            value = "200",
            min = "1",
            max = "100000",
            doc =
                "Repeated searches that the gateway sends to all nodes of a cluster each second at"
                    + " most.")
        int maxRequestsPerSecond,
    @ConfigKey(
            value = "2",
            min = "1",
            max = "64",
            doc = "Repeated searches in flight to a node at most.")
        int maxInFlight,
    @ConfigKey(
            value = "32",
            min = "1",
            max = "1000",
            doc =
                "Kinds of searches that the gateway remembers of each index, the newest ones. Of"
                    + " each it keeps up to four examples, within 8 MB in total.")
        int maxShapes) {}
