package dev.weir.core.actions.passthrough;

import dev.weir.rest.PassThroughReasons;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.bucket.composite.CompositeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.filter.FilterAggregationBuilder;
import org.opensearch.search.aggregations.bucket.filter.FiltersAggregationBuilder;
import org.opensearch.search.aggregations.bucket.global.GlobalAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.AutoDateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.missing.MissingAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.NestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.ReverseNestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.range.DateRangeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.range.RangeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.MultiTermsAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.AvgAggregationBuilder;
import org.opensearch.search.aggregations.metrics.CardinalityAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ExtendedStatsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MaxAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.StatsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.TopHitsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.aggregations.metrics.WeightedAvgAggregationBuilder;

/**
 * Finds the searches that a node can coordinate on the gateway's behalf. A node's REST layer writes
 * the objects of its own reduction; the gateway writes those that it reads from the node's reply.
 * Both are the same for the aggregations here. Percentiles, for example, are computed while they
 * are written, from a digest that loses its smallest and largest value on the way, and the result
 * of a {@code scripted_metric} may be of any type. A search pipeline's processor may respond with
 * an object of its plugin.
 */
public final class ForwardableSearchClassifier {
  private static final Set<String> AGGREGATIONS =
      Set.of(
          AutoDateHistogramAggregationBuilder.NAME,
          AvgAggregationBuilder.NAME,
          CardinalityAggregationBuilder.NAME,
          CompositeAggregationBuilder.NAME,
          DateHistogramAggregationBuilder.NAME,
          DateRangeAggregationBuilder.NAME,
          ExtendedStatsAggregationBuilder.NAME,
          FilterAggregationBuilder.NAME,
          FiltersAggregationBuilder.NAME,
          GlobalAggregationBuilder.NAME,
          HistogramAggregationBuilder.NAME,
          MaxAggregationBuilder.NAME,
          MinAggregationBuilder.NAME,
          MissingAggregationBuilder.NAME,
          MultiTermsAggregationBuilder.NAME,
          NestedAggregationBuilder.NAME,
          RangeAggregationBuilder.NAME,
          ReverseNestedAggregationBuilder.NAME,
          StatsAggregationBuilder.NAME,
          SumAggregationBuilder.NAME,
          TermsAggregationBuilder.NAME,
          TopHitsAggregationBuilder.NAME,
          ValueCountAggregationBuilder.NAME,
          WeightedAvgAggregationBuilder.NAME);

  private ForwardableSearchClassifier() {}

  /**
   * Returns whether a node can coordinate this search as an action of the transport layer.
   *
   * @param reason why the gateway can't coordinate it
   */
  public static boolean isForwardable(SearchRequest request, String reason) {
    boolean isKnown =
        reason.equals(PassThroughReasons.SCRIPT) || reason.equals(PassThroughReasons.CROSS_CLUSTER);
    return isKnown
        && request.scroll() == null
        && (request.source() == null || hasKnown(request.source().aggregations()));
  }

  private static boolean hasKnown(AggregatorFactories.@Nullable Builder aggregations) {
    return aggregations == null || hasKnown(aggregations.getAggregatorFactories());
  }

  private static boolean hasKnown(Collection<AggregationBuilder> aggregations) {
    return aggregations.stream()
        .allMatch(
            one -> AGGREGATIONS.contains(one.getType()) && hasKnown(one.getSubAggregations()));
  }
}
