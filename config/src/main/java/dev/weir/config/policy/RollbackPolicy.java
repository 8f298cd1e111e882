package dev.weir.config.policy;

import java.time.Duration;

/**
 * When all requests return to one cluster automatically.
 *
 * @param targetCluster empty for none
 */
public record RollbackPolicy(
    @ConfigKey(
            value = "",
            doc =
                "The cluster that gets all requests when another one does worse than allowed here."
                    + " Empty: no automatic rollback.")
        String targetCluster,
    @ConfigKey(
            value = "1m",
            min = "1s",
            max = "1h",
            doc = "Time span over which the gateway compares the clusters.")
        Duration evaluationWindow,
    @ConfigKey(
            value = "100",
            min = "1",
            max = "1000000",
            doc =
                "The gateway decides once the other clusters had this many requests within the"
                    + " window.")
        int minRequests,
    @ConfigKey(
            value = "5",
            min = "0",
            max = "100",
            doc =
                "The gateway rolls back when the percentage of responses that failed because nodes"
                    + " were lost or did not answer in time exceeds the target cluster's by more"
                    + " than this many percentage points. Other errors do not count, because a"
                    + " client can cause them.")
        double maxErrorPercent,
    @ConfigKey(
            value = "100",
            min = "0",
            max = "100",
            doc =
                "Percentage of compared shadow reads that may differ before the gateway rolls back."
                    + " 100: differences are ignored.")
        double maxDifferencePercent) {}
