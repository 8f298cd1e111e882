package dev.weir.config.policy;

import java.time.Duration;

/**
 * Which writes the gateway repeats on a second cluster.
 *
 * @param targetCluster empty for none
 * @param repairLogDirectory required if a target cluster is set
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
