package dev.weir.core.reduce.memory;

import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.bucket.composite.CompositeAggregationBuilder;
import org.opensearch.search.aggregations.bucket.filter.FilterAggregationBuilder;
import org.opensearch.search.aggregations.bucket.filter.FiltersAggregationBuilder;
import org.opensearch.search.aggregations.bucket.global.GlobalAggregationBuilder;
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
import org.opensearch.search.aggregations.metrics.MedianAbsoluteDeviationAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentileRanksAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesAggregationBuilder;
import org.opensearch.search.aggregations.metrics.StatsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.TopHitsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * Decides whether the cost of a search's reduction is proportional to the size of its shard
 * results.
 */
public final class ReduceCostClassifier {
  /** The size on the wire, in bytes, from which a reduction is worth a switch to another thread. */
  public static final long OFFLOAD_THRESHOLD_BYTES = 256 * 1024;

  /** Aggregations that neither run scripts nor create buckets that no shard sent. */
  private static final Set<Class<?>> PROPORTIONAL =
      Set.of(
          TermsAggregationBuilder.class,
          MultiTermsAggregationBuilder.class,
          FilterAggregationBuilder.class,
          FiltersAggregationBuilder.class,
          RangeAggregationBuilder.class,
          DateRangeAggregationBuilder.class,
          CompositeAggregationBuilder.class,
          MissingAggregationBuilder.class,
          GlobalAggregationBuilder.class,
          NestedAggregationBuilder.class,
          ReverseNestedAggregationBuilder.class,
          AvgAggregationBuilder.class,
          SumAggregationBuilder.class,
          MinAggregationBuilder.class,
          MaxAggregationBuilder.class,
          StatsAggregationBuilder.class,
          ExtendedStatsAggregationBuilder.class,
          ValueCountAggregationBuilder.class,
          CardinalityAggregationBuilder.class,
          PercentilesAggregationBuilder.class,
          TopHitsAggregationBuilder.class);

  /** Aggregations that take far more heap than bytes on the wire: digests and sketches. */
  private static final Set<Class<?>> MEMORY_AMPLIFYING =
      Set.of(
          PercentilesAggregationBuilder.class,
          PercentileRanksAggregationBuilder.class,
          MedianAbsoluteDeviationAggregationBuilder.class,
          CardinalityAggregationBuilder.class);

  private ReduceCostClassifier() {}

  /** Returns whether a search's aggregations may take far more heap than their bytes suggest. */
  public static boolean canAmplifyMemory(@Nullable SearchSourceBuilder source) {
    return source != null
        && source.aggregations() != null
        && canAmplifyMemory(source.aggregations().getAggregatorFactories());
  }

  private static boolean canAmplifyMemory(Collection<AggregationBuilder> aggregations) {
    for (AggregationBuilder aggregation : aggregations) {
      if (MEMORY_AMPLIFYING.contains(aggregation.getClass())
          || canAmplifyMemory(aggregation.getSubAggregations())) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the cost of a reduction grows with the size of the shard results alone. */
  public static boolean isProportional(@Nullable SearchSourceBuilder source) {
    return source == null
        || source.aggregations() == null
        || (source.aggregations().getPipelineAggregatorFactories().isEmpty()
            && isProportional(source.aggregations().getAggregatorFactories()));
  }

  private static boolean isProportional(Collection<AggregationBuilder> aggregations) {
    for (AggregationBuilder aggregation : aggregations) {
      if (!PROPORTIONAL.contains(aggregation.getClass())
          || !aggregation.getPipelineAggregations().isEmpty()
          || !isProportional(aggregation.getSubAggregations())) {
        return false;
      }
    }
    return true;
  }
}
