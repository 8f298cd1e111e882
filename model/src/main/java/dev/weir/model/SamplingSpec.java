package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * What a client wants estimated from a part of its search's shards.
 *
 * @param fraction of the shards; NaN where their number is said
 * @param shards how many; 0 where the fraction is said
 * @param seed what decides which shards; null for chance
 * @param confidence how often bounds are to hold, such as 0.95
 */
public record SamplingSpec(double fraction, int shards, @Nullable Long seed, double confidence) {
  /** How often bounds hold where the client does not say. */
  public static final double DEFAULT_CONFIDENCE = 0.95;

  /** How many of so many shards are wanted. */
  public int shardCount(int all) {
    long wanted = shards > 0 ? shards : Math.round(fraction * all);
    return (int) Math.max(Math.min(1, all), Math.min(all, wanted));
  }
}
