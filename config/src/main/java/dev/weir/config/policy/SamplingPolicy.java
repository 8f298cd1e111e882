package dev.weir.config.policy;

/** Whether searches that request it get estimated results. */
public record SamplingPolicy(
    @ConfigKey(
            value = "true",
            doc =
                "Whether searches with sample=... or sample_shards=... are answered by estimates"
                    + " from a part of their shards. false: the gateway rejects them.")
        boolean enabled,
    @ConfigKey(
            value = "3",
            min = "2",
            max = "1000",
            doc =
                "Shards of each index that a sampled search asks at least; all of them where the"
                    + " index has fewer. With 2 the confidence intervals are three times as wide as"
                    + " with 3.")
        int minShardsPerIndex) {
  public static final SamplingPolicy DEFAULT = new SamplingPolicy(true, 3);
}
