package dev.weir.config.policy;

/**
 * Which reads are repeated on another cluster to compare the responses, which are then dropped.
 *
 * @param targetCluster the other cluster; empty for none
 * @param tolerances which differences count as similar
 */
public record ShadowPolicy(
    @ConfigKey(
            value = "",
            doc =
                "The cluster on which the gateway repeats reads once they are answered. Reads that"
                    + " went to that cluster anyway are not repeated. Empty: no shadow reads.")
        String targetCluster,
    @ConfigKey(
            value = "100",
            min = "0",
            max = "100",
            doc = "Percentage of the reads that the gateway repeats, chosen at random.")
        double samplePercent,
    @ConfigKey(
            value = "16",
            min = "1",
            max = "10000",
            doc = "Shadow reads at once. The gateway skips further ones and counts them.")
        int maxInFlight,
    @ConfigKey(
            value = "1mb",
            min = "0b",
            max = "100mb",
            doc =
                "The gateway does not repeat a read with a longer body. Of longer responses it"
                    + " compares the status alone.")
        ByteSize maxBodyBytes,
    @ConfigKey(
            value = "false",
            doc =
                "Whether the gateway also repeats reads that passed through to a node. A node of"
                    + " the target cluster then gets the client's own headers, with its"
                    + " credentials.")
        boolean passThroughEnabled,
    Tolerances tolerances) {

  static final double DEFAULT_MAX_AGGREGATION_DIFFERENCE = 0.01;
  static final double DEFAULT_MIN_HIT_OVERLAP = 0.99;

  /** Which differences count as similar. */
  public record Tolerances(
      @ConfigKey(
              value = "0.01",
              min = "0",
              max = "1",
              doc =
                  "How far numbers in aggregations may differ, as a ratio of the larger one: 0.01"
                      + " is 1 percent.")
          double maxAggregationDifference,
      @ConfigKey(
              value = "0.99",
              min = "0",
              max = "1",
              doc =
                  "Rank-biased overlap from which two lists of hits count as similar, and below"
                      + " which they count as different. 1: the same documents in the same order.")
          double minHitOverlap) {}
}
