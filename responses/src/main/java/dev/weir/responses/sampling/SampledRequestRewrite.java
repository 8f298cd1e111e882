package dev.weir.responses.sampling;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchType;
import org.opensearch.search.aggregations.AggregationBuilder;
import org.opensearch.search.aggregations.AggregatorFactories;
import org.opensearch.search.aggregations.BucketOrder;
import org.opensearch.search.aggregations.InternalOrder;
import org.opensearch.search.aggregations.PipelineAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.DateHistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.histogram.HistogramAggregationBuilder;
import org.opensearch.search.aggregations.bucket.terms.TermsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.AvgAggregationBuilder;
import org.opensearch.search.aggregations.metrics.CardinalityAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MaxAggregationBuilder;
import org.opensearch.search.aggregations.metrics.MinAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesAggregationBuilder;
import org.opensearch.search.aggregations.metrics.PercentilesConfig;
import org.opensearch.search.aggregations.metrics.StatsAggregationBuilder;
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.SearchContext;

/**
 * The buckets that a sampled search requests, and the rewrite of its shard requests, so that shards
 * return enough for estimates: they count all hits, return more terms, and keep buckets with few
 * documents. The estimate applies the minimum count instead.
 */
final class SampledRequestRewrite {
  private static final String METRICS =
      "avg, sum, value_count, min, max, stats or percentiles with tdigest";

  /** The minimum number of terms that a shard returns. */
  private static final int MIN_TERMS = 250;

  /**
   * Shards return up to this many times the requested number of terms, but no more than {@link
   * #MAX_EXTRA_TERMS} in addition.
   */
  private static final int SHARD_SIZE_FACTOR = 10;

  private static final int MAX_EXTRA_TERMS = 5_000;

  private final Map<String, SampledBuckets> buckets = new HashMap<>();
  private final boolean hasHitCount;

  /**
   * The buckets that the client requests.
   *
   * @param size the maximum number of buckets
   * @param minDocCount the minimum document count of a bucket
   */
  record SampledBuckets(int size, long minDocCount, BucketOrder order) {}

  private SampledRequestRewrite(boolean counted) {
    this.hasHitCount = counted;
  }

  /**
   * Rewrites a search in place for sampling.
   *
   * @throws IllegalArgumentException if the search requests something that cannot be estimated
   */
  static SampledRequestRewrite rewrite(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    rejectIf(source == null || source.size() != 0, "a search for hits", "one with \"size\": 0");
    rejectIf(request.scroll() != null, "[scroll]", "none");
    rejectIf(
        request.searchType() == SearchType.DFS_QUERY_THEN_FETCH,
        "[search_type=dfs_query_then_fetch]",
        "query_then_fetch");
    rejectIf(source.pointInTimeBuilder() != null, "a point in time", "indices by name");
    rejectIf(source.searchAfter() != null, "[search_after]", "none");
    rejectIf(source.slice() != null, "[slice]", "none");
    rejectIf(
        source.terminateAfter() != SearchContext.DEFAULT_TERMINATE_AFTER,
        "[terminate_after]",
        "none");
    rejectIf(source.collapse() != null, "[collapse]", "none");
    rejectIf(source.rescores() != null && !source.rescores().isEmpty(), "[rescore]", "none");
    rejectIf(source.suggest() != null, "[suggest]", "none");
    rejectIf(source.profile(), "[profile]", "none");
    rejectIf(source.ext() != null && !source.ext().isEmpty(), "[ext]", "none");
    boolean counted =
        request.resolveTrackTotalHitsUpTo() != SearchContext.TRACK_TOTAL_HITS_DISABLED;
    if (counted) {
      source.trackTotalHits(true);
    }
    request.setBatchedReduceSize(Integer.MAX_VALUE); // the estimate needs each shard's result
    SampledRequestRewrite sampled = new SampledRequestRewrite(counted);
    AggregatorFactories.Builder aggregations = source.aggregations();
    if (aggregations != null) {
      rejectPipelines(aggregations.getPipelineAggregatorFactories());
      for (AggregationBuilder aggregation : aggregations.getAggregatorFactories()) {
        sampled.inspect(aggregation);
      }
    }
    return sampled;
  }

  boolean hasHitCount() {
    return hasHitCount;
  }

  /** Returns the buckets that the client requests of an aggregation; null if it has no buckets. */
  @Nullable SampledBuckets buckets(String aggregation) {
    return buckets.get(aggregation);
  }

  private static void rejectIf(boolean is, String what, String expected) {
    if (is) {
      throw new IllegalArgumentException(
          "got " + what + ", which can't be sampled (expected: " + expected + ")");
    }
  }

  private static void rejectPipelines(Collection<PipelineAggregationBuilder> pipelines) {
    for (PipelineAggregationBuilder pipeline : pipelines) {
      rejectIf(
          true,
          "the pipeline aggregation [" + pipeline.getName() + "]",
          "terms, histogram, date_histogram, " + METRICS);
    }
  }

  private void inspect(AggregationBuilder aggregation) {
    rejectPipelines(aggregation.getPipelineAggregations());
    rejectDistinctCount(aggregation);
    if (isMetric(aggregation)) {
      return;
    }
    buckets.put(aggregation.getName(), buckets(aggregation));
    for (AggregationBuilder metric : aggregation.getSubAggregations()) {
      rejectPipelines(metric.getPipelineAggregations());
      rejectDistinctCount(metric);
      rejectIf(
          !isMetric(metric),
          describe(metric) + " in [" + aggregation.getName() + "]",
          METRICS + " in buckets");
      rejectIf(
          metric.getName().equals(DocCountBounds.NAME),
          "an aggregation called [" + DocCountBounds.NAME + "] in buckets",
          "another name");
    }
  }

  private static boolean isMetric(AggregationBuilder aggregation) {
    return aggregation instanceof AvgAggregationBuilder
        || aggregation instanceof SumAggregationBuilder
        || aggregation instanceof ValueCountAggregationBuilder
        || aggregation instanceof MinAggregationBuilder
        || aggregation instanceof MaxAggregationBuilder
        || aggregation instanceof StatsAggregationBuilder
        || (aggregation instanceof PercentilesAggregationBuilder percentiles
            && !(percentiles.percentilesConfig() instanceof PercentilesConfig.Hdr));
  }

  /** How many values are missing from a sample can't be told from the sample. */
  private static void rejectDistinctCount(AggregationBuilder aggregation) {
    rejectIf(
        aggregation instanceof CardinalityAggregationBuilder,
        describe(aggregation),
        "a search of its own for it, without [sample], because a sample has no bound for the number"
            + " of values that it lacks; or "
            + METRICS);
  }

  private static SampledBuckets buckets(AggregationBuilder aggregation) {
    return switch (aggregation) {
      case TermsAggregationBuilder terms -> rewriteTerms(terms);
      case HistogramAggregationBuilder numbers -> {
        rejectOrder(numbers, numbers.order());
        SampledBuckets requestedBuckets =
            new SampledBuckets(Integer.MAX_VALUE, numbers.minDocCount(), numbers.order());
        numbers.minDocCount(Math.min(1, numbers.minDocCount()));
        yield requestedBuckets;
      }
      case DateHistogramAggregationBuilder dates -> {
        rejectOrder(dates, dates.order());
        SampledBuckets requestedBuckets =
            new SampledBuckets(Integer.MAX_VALUE, dates.minDocCount(), dates.order());
        dates.minDocCount(Math.min(1, dates.minDocCount()));
        yield requestedBuckets;
      }
      default ->
          throw new IllegalArgumentException(
              "got "
                  + describe(aggregation)
                  + ", which can't be sampled (expected: terms, histogram, date_histogram, "
                  + METRICS
                  + ")");
    };
  }

  private static SampledBuckets rewriteTerms(TermsAggregationBuilder terms) {
    boolean byKey = InternalOrder.isKeyOrder(terms.order());
    rejectOrder(terms, terms.order());
    rejectIf(
        !byKey && !InternalOrder.isCountDesc(terms.order()),
        describe(terms) + " with the rarest terms first",
        "[order] by _count, the most first, or by _key");
    rejectIf(terms.minDocCount() == 0, describe(terms) + " with [min_doc_count: 0]", "1 or more");
    rejectIf(
        byKey && terms.minDocCount() > 1,
        describe(terms) + " by _key with [min_doc_count] over 1",
        "1, or [order] by _count");
    rejectIf(
        terms.shardMinDocCount() > 1,
        describe(terms) + " with [shard_min_doc_count]",
        "none, or 1");
    SampledBuckets requestedBuckets =
        new SampledBuckets(terms.size(), terms.minDocCount(), terms.order());
    terms.minDocCount(1);
    if (!byKey) {
      long more =
          Math.min((long) SHARD_SIZE_FACTOR * terms.size(), (long) terms.size() + MAX_EXTRA_TERMS);
      terms.shardSize(
          (int)
              Math.min(Integer.MAX_VALUE, Math.max(Math.max(MIN_TERMS, more), terms.shardSize())));
    }
    return requestedBuckets;
  }

  /** An order by another aggregation is known only for the buckets that shards returned. */
  private static void rejectOrder(AggregationBuilder aggregation, BucketOrder order) {
    boolean by =
        order instanceof InternalOrder.Aggregation
            || (order instanceof InternalOrder.CompoundOrder several
                && several.orderElements().stream()
                    .anyMatch(InternalOrder.Aggregation.class::isInstance));
    rejectIf(
        by, describe(aggregation) + " ordered by another aggregation", "[order] by _count or _key");
  }

  private static String describe(AggregationBuilder aggregation) {
    return "the aggregation [" + aggregation.getName() + "] (" + aggregation.getType() + ")";
  }
}
