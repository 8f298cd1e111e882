package dev.weir.config.policy;

/**
 * Which reads are repeated on another cluster, where their answers are compared and then dropped.
 *
 * @param targetCluster the other cluster; empty for none
 * @param tolerances what counts as alike
 */
public record ShadowPolicy(
    @ConfigKey(
            value = "",
            doc =
                "The cluster that reads are repeated on once they are answered; empty: none. Reads"
                    + " that went there anyway are not.")
        String targetCluster,
    @ConfigKey(value = "100", min = "0", max = "100", doc = "How many of the reads, in percent.")
        double samplePercent,
    @ConfigKey(
            value = "16",
            min = "1",
            max = "10000",
            doc = "Repeated reads under way at once; further ones are left out, and counted.")
        int maxInFlight,
    @ConfigKey(
            value = "1mb",
            min = "0b",
            max = "100mb",
            doc =
                "Reads with a longer body are not repeated; of longer answers the status alone is"
                    + " compared.")
        ByteSize maxBodyBytes,
    @ConfigKey(
            value = "false",
            doc =
                "Whether reads that pass through to a node are repeated too, at a node of the other"
                    + " cluster, which gets the client's own headers, its credentials among them.")
        boolean passThroughEnabled,
    Tolerances tolerances) {

  static final double DEFAULT_MAX_AGGREGATION_DIFFERENCE = 0.01;
  static final double DEFAULT_MIN_HIT_OVERLAP = 0.99;

  /** What counts as alike. */
  public record Tolerances(
      @ConfigKey(
              value = "0.01",
              min = "0",
              max = "1",
              doc =
                  "How far numbers of aggregations may be apart, as a share of the larger one:"
                      + " 0.01 is 1 percent.")
          double maxAggregationDifference,
      @ConfigKey(
              value = "0.99",
              min = "0",
              max = "1",
              doc =
                  "Hits are alike when their rank-biased overlap is at least this; 1: the same"
                      + " documents in the same order.")
          double minHitOverlap) {}
}
