package dev.weir.core.reduce.query;

import java.util.List;
import java.util.Map;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.search.internal.InternalSearchResponse;

/**
 * Reduces the results of sampled shards to estimates of what all shards would answer. Used by one
 * thread at a time.
 */
public interface SampledReduction {
  /**
   * Sets which sampled shards are queried, in the order of the results; the others have no match.
   *
   * @param ordinals places in the sample
   */
  void setQueriedShards(List<Integer> ordinals);

  /**
   * Reduces the results and computes the estimates; once.
   *
   * @param results by place among the queried shards
   * @param shards the size of the sample
   */
  ReducedResult reduce(QueryPhaseReducer results, int shards) throws Exception;

  /** The merged response with estimates in place of the sample's figures. */
  InternalSearchResponse applyEstimates(InternalSearchResponse merged);

  /** The response's section about the sample, by JSON key. */
  Map<String, Object> describe();

  /** Counts a search that succeeded. */
  void recordSearch();
}
