package dev.weir.core.reduce.round;

import java.util.Collection;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MaxAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.aggregations.support.ValuesSourceAggregationBuilder;

/**
 * Decides which aggregations nodes may merge without a change of the response. Sums are none of
 * them: their bits depend on the order in which numbers are added. The plugin's {@code
 * AggregationMerge} says what else has to hold for the shards' results.
 */
final class MergeableAggregations {
  /**
   * The most aggregations beside each other. With more, the map of names that gives a response its
   * order may have another size if one shard less has a bucket.
   */
  private static final int MAX_SIBLINGS = 12;

  private MergeableAggregations() {}

  /** Returns whether a search has aggregations, and all of them may be merged. */
  static boolean areAll(AggregatorFactories.@Nullable Builder aggregations) {
    return aggregations != null
        && !aggregations.getAggregatorFactories().isEmpty()
        && aggregations.getPipelineAggregatorFactories().isEmpty()
        && areAll(aggregations.getAggregatorFactories());
  }

  private static boolean areAll(Collection<AggregationBuilder> siblings) {
    return siblings.size() <= MAX_SIBLINGS
        && siblings.stream().allMatch(MergeableAggregations::isMergeable);
  }

  private static boolean isMergeable(AggregationBuilder one) {
    boolean isKnown =
        switch (one) {
          // shards leave out terms without documents, but not the number of documents in them
          case TermsAggregationBuilder terms ->
              !terms.showTermDocCountError() && terms.minDocCount() > 0;
          case HistogramAggregationBuilder _, DateHistogramAggregationBuilder _ -> true;
          case MinAggregationBuilder _, MaxAggregationBuilder _, ValueCountAggregationBuilder _ ->
              true;
          default -> false;
        };
    return isKnown
        && one instanceof ValuesSourceAggregationBuilder<?> values
        && values.script() == null
        && one.getPipelineAggregations().isEmpty()
        && areAll(one.getSubAggregations());
  }
}
