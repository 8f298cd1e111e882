package dev.weir.config.policy;

/** Whether searches may be answered by estimates, where they ask for it. */
public record SamplingPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether searches that say sample=... or sample_shards=... are answered by"
                    + " estimates from a part of their shards; otherwise they are refused.")
        boolean enabled,
    @ConfigKey(
            value = "3",
            min = "2",
            max = "1000",
            doc =
                "So many shards of each index are asked at least, whatever the search says; all of"
                    + " them where it has fewer. With 2 bounds are three times as wide as with 3.")
        int minShardsPerIndex) {
  /** The policy of a gateway whose file does not say. */
  public static final SamplingPolicy DEFAULT = new SamplingPolicy(true, 3);
}
