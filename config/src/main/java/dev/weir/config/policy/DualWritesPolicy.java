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
                "The cluster on which the gateway repeats writes that the first cluster has"
                    + " acknowledged. Needs repair-log-directory. Empty: no dual writes.")
        String targetCluster,
    @ConfigKey(
            value = "10s",
            min = "10ms",
            max = "10m",
            doc =
                "How long a client's response waits for the target cluster. Writes that are not"
                    + " done by then go to the repair log.")
        Duration timeout,
    @ConfigKey(
            value = "",
            doc =
                "Directory of the repair log: the writes that the target cluster may lack. Needed"
                    + " wherever target-cluster is set. Several gateways may share it.")
        String repairLogDirectory) {}
