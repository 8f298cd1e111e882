package dev.weir.responses.sampling;

import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregations;

/**
 * What one shard of a sample answered.
 *
 * @param ordinal its place among the shards that were drawn
 * @param hits how many documents it found
 * @param aggregations null where it found none
 */
public record SampledShardResult(
    int ordinal, long hits, @Nullable InternalAggregations aggregations) {
  /** The answer of a shard that has nothing. */
  public static SampledShardResult empty(int ordinal) {
    return new SampledShardResult(ordinal, 0, null);
  }
}
