package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * The sample of shards that a client asks for.
 *
 * @param fraction the fraction of the shards; NaN if their number is given
 * @param shards the number of shards; 0 if the fraction is given
 * @param seed determines the choice of shards; null for a random choice
 * @param confidence the confidence level of the intervals, such as 0.95
 */
public record SamplingSpec(double fraction, int shards, @Nullable Long seed, double confidence) {
  /** The confidence level if the client gives none. */
  public static final double DEFAULT_CONFIDENCE = 0.95;

  /** Returns the size of the sample of {@code all} shards. */
  public int shardCount(int all) {
    long wanted = shards > 0 ? shards : Math.round(fraction * all);
    return (int) Math.max(Math.min(1, all), Math.min(all, wanted));
  }
}
