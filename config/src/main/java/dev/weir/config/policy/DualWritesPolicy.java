package dev.weir.config.policy;

import java.time.Duration;

/**
 * Which writes are repeated on another cluster.
 *
 * @param targetCluster the other cluster; empty for none
 * @param repairLogDirectory a directory; given wherever {@code to} is
 */
public record DualWritesPolicy(
    @ConfigKey(
            value = "",
            doc =
                "The cluster that writes are repeated on once the first cluster has acknowledged"
                    + " them; empty: none. Needs repair-log-directory.")
        String targetCluster,
    @ConfigKey(
            value = "10s",
            min = "10ms",
            max = "10m",
            doc =
                "How long a client's answer waits for the other cluster. What it has not written"
                    + " by then goes to the repair log.")
        Duration timeout,
    @ConfigKey(
            value = "",
            doc = "Directory of the log of writes that the other cluster may not have.")
        String repairLogDirectory) {}
