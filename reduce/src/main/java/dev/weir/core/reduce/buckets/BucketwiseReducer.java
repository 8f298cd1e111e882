package dev.weir.core.reduce.buckets;

import dev.weir.core.reduce.terms.AggregationBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.aggregations.bucket.filter.FilterAggregationBuilder;
import org.opensearch.search.aggregations.bucket.global.GlobalAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.missing.MissingAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.NestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.nested.ReverseNestedAggregationBuilder;
import org.opensearch.search.aggregations.bucket.sampler.SamplerAggregationBuilder;
import org.opensearch.search.aggregations.metrics.TopHitsAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * The final reduction of a search whose aggregations contain a histogram, bucket by bucket from the
 * shards' bytes. The written response equals that of OpenSearch's reduction of objects.
 */
public final class BucketwiseReducer {
  /** Orders of buckets that depend on keys and counts alone. */
  private static final Set<BucketOrder> SUPPORTED_ORDERS =
      Set.of(
          BucketOrder.key(true),
          BucketOrder.key(false),
          BucketOrder.count(true),
          BucketOrder.count(false),
          BucketOrder.compound(BucketOrder.count(true)),
          BucketOrder.compound(BucketOrder.count(false)),
          BucketOrder.compound(BucketOrder.count(true), BucketOrder.key(false)),
          BucketOrder.compound(BucketOrder.count(false), BucketOrder.key(false)));

  private BucketwiseReducer() {}

  /**
   * Returns whether this class may reduce the search's aggregations: at least one is a histogram,
   * and no pipeline aggregation reads the finished buckets. The shards' results can still rule it
   * out.
   */
  public static boolean canReduce(@Nullable SearchSourceBuilder source) {
    return source != null
        && source.aggregations() != null
        && source.aggregations().getPipelineAggregatorFactories().isEmpty()
        && hasNoPipelines(source.aggregations().getAggregatorFactories())
        && hasHistogram(source.aggregations().getAggregatorFactories());
  }

  /** Returns whether the search's aggregations contain hits. */
  public static boolean hasHits(@Nullable SearchSourceBuilder source) {
    return source != null
        && source.aggregations() != null
        && hasHits(source.aggregations().getAggregatorFactories());
  }

  private static boolean hasHits(Collection<AggregationBuilder> all) {
    for (AggregationBuilder one : all) {
      if (one instanceof TopHitsAggregationBuilder || hasHits(one.getSubAggregations())) {
        return true;
      }
    }
    return false;
  }

  static boolean isSupported(BucketOrder order) {
    return SUPPORTED_ORDERS.contains(order);
  }

  private static boolean hasNoPipelines(Collection<AggregationBuilder> all) {
    for (AggregationBuilder one : all) {
      if (!one.getPipelineAggregations().isEmpty() || !hasNoPipelines(one.getSubAggregations())) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasHistogram(Collection<AggregationBuilder> all) {
    for (AggregationBuilder one : all) {
      boolean found =
          switch (one) {
            case DateHistogramAggregationBuilder dates -> isSupported(dates.order());
            case HistogramAggregationBuilder numbers -> isSupported(numbers.order());
            case FilterAggregationBuilder filter -> hasHistogram(filter.getSubAggregations());
            case GlobalAggregationBuilder global -> hasHistogram(global.getSubAggregations());
            case MissingAggregationBuilder missing -> hasHistogram(missing.getSubAggregations());
            case NestedAggregationBuilder nested -> hasHistogram(nested.getSubAggregations());
            case ReverseNestedAggregationBuilder nested ->
                hasHistogram(nested.getSubAggregations());
            case SamplerAggregationBuilder sampler -> hasHistogram(sampler.getSubAggregations());
            default -> false;
          };
      if (found) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reduces the aggregations.
   *
   * @param shards one per shard that has aggregations, at least one
   * @return aggregations that can be written as content and nothing else; null if the shards'
   *     results have to be reduced as objects
   */
  public static @Nullable InternalAggregations reduce(
      List<AggregationBytes> shards, BucketReduction reduction) {
    List<ShardResult> results = new ArrayList<>(shards.size());
    for (AggregationBytes shard : shards) {
      results.add(new ShardResult(shard, reduction.workspace()));
    }
    try {
      return new AggregationLevel(reduction).reduce(results);
    } catch (IOException unsupported) {
      return null; // the reduction of objects reports the error, if any
    }
  }
}
