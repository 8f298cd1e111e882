package dev.weir.responses.sampling;

import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.InternalAggregations;

/**
 * The result of one shard of a sample.
 *
 * @param ordinal the shard's index among the sampled shards
 * @param hits the number of matching documents
 * @param aggregations null without a match
 */
public record SampledShardResult(
    int ordinal, long hits, @Nullable InternalAggregations aggregations) {
  /** Creates the result of a shard without a match. */
  public static SampledShardResult empty(int ordinal) {
    return new SampledShardResult(ordinal, 0, null);
  }
}
