package dev.weir.config.policy;

import java.time.Duration;

/**
 * When everything goes back to one cluster by itself.
 *
 * @param targetCluster that cluster; empty for none
 */
public record RollbackPolicy(
    @ConfigKey(
            value = "",
            doc =
                "The cluster that everything goes to when another one did worse than it may;"
                    + " empty: nothing is rolled back by itself.")
        String targetCluster,
    @ConfigKey(value = "1m", min = "1s", max = "1h", doc = "The time that is looked back on.")
        Duration evaluationWindow,
    @ConfigKey(
            value = "100",
            min = "1",
            max = "1000000",
            doc = "Requests to the other clusters within the window before anything is concluded.")
        int minRequests,
    @ConfigKey(
            value = "5",
            min = "0",
            max = "100",
            doc =
                "Percent of requests to the other clusters that may end with a status of 500 or"
                    + " more, beyond the percentage of those to this one.")
        double maxErrorPercent,
    @ConfigKey(
            value = "100",
            min = "0",
            max = "100",
            doc = "Percent of compared shadow reads that may differ; 100: all of them.")
        double maxDifferencePercent) {}
