package dev.weir.core.reduce.sample;

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
import org.opensearch.search.aggregations.metrics.SumAggregationBuilder;
import org.opensearch.search.aggregations.metrics.ValueCountAggregationBuilder;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.SearchContext;

/**
 * What a search asks for whose answer is to be estimated. What shards are asked is changed, so that
 * they tell enough: all hits are counted, terms are listed further, and buckets are not left out
 * for having few documents, which is for the estimate to say.
 */
final class SampledRequest {
  /** Shards list as many terms as this, at least. */
  private static final int LEAST_TERMS = 250;

  /** Of a list of so many terms they list ten times as many, of longer ones so many more. */
  private static final int TIMES = 10;

  private static final int MOST_MORE = 5_000;

  private final Map<String, Buckets> buckets = new HashMap<>();
  private final boolean counted;

  /**
   * What buckets of an aggregation are answered.
   *
   * @param size how many at most
   * @param leastCount with how many documents at least
   */
  record Buckets(int size, long leastCount, BucketOrder order) {}

  private SampledRequest(boolean counted) {
    this.counted = counted;
  }

  /**
   * Looks at a search, and changes what shards are asked.
   *
   * @throws IllegalArgumentException where it asks for what can't be estimated
   */
  static SampledRequest of(SearchRequest request) {
    SearchSourceBuilder source = request.source();
    refuse(source == null || source.size() != 0, "a search for hits", "one with \"size\": 0");
    refuse(request.scroll() != null, "[scroll]", "none");
    refuse(
        request.searchType() == SearchType.DFS_QUERY_THEN_FETCH,
        "[search_type=dfs_query_then_fetch]",
        "query_then_fetch");
    refuse(source.pointInTimeBuilder() != null, "a point in time", "indices by name");
    refuse(source.searchAfter() != null, "[search_after]", "none");
    refuse(source.slice() != null, "[slice]", "none");
    refuse(
        source.terminateAfter() != SearchContext.DEFAULT_TERMINATE_AFTER,
        "[terminate_after]",
        "none");
    refuse(source.collapse() != null, "[collapse]", "none");
    refuse(source.rescores() != null && !source.rescores().isEmpty(), "[rescore]", "none");
    refuse(source.suggest() != null, "[suggest]", "none");
    refuse(source.profile(), "[profile]", "none");
    refuse(source.ext() != null && !source.ext().isEmpty(), "[ext]", "none");
    boolean counted =
        request.resolveTrackTotalHitsUpTo() != SearchContext.TRACK_TOTAL_HITS_DISABLED;
    if (counted) {
      source.trackTotalHits(true);
    }
    request.setBatchedReduceSize(Integer.MAX_VALUE); // the answers are looked at one by one
    SampledRequest sampled = new SampledRequest(counted);
    AggregatorFactories.Builder aggregations = source.aggregations();
    if (aggregations != null) {
      refusePipelines(aggregations.getPipelineAggregatorFactories());
      for (AggregationBuilder aggregation : aggregations.getAggregatorFactories()) {
        sampled.look(aggregation);
      }
    }
    return sampled;
  }

  /** Whether hits are counted. */
  boolean counted() {
    return counted;
  }

  /** What buckets of an aggregation are answered; null where it has none. */
  @Nullable Buckets buckets(String aggregation) {
    return buckets.get(aggregation);
  }

  private static void refuse(boolean is, String what, String expected) {
    if (is) {
      throw new IllegalArgumentException(
          "got " + what + ", which can't be sampled (expected: " + expected + ")");
    }
  }

  private static void refusePipelines(Collection<PipelineAggregationBuilder> pipelines) {
    for (PipelineAggregationBuilder pipeline : pipelines) {
      refuse(
          true,
          "the pipeline aggregation [" + pipeline.getName() + "]",
          "terms, histogram, date_histogram, avg, sum or value_count");
    }
  }

  private void look(AggregationBuilder aggregation) {
    refusePipelines(aggregation.getPipelineAggregations());
    if (isMetric(aggregation)) {
      return;
    }
    buckets.put(aggregation.getName(), buckets(aggregation));
    for (AggregationBuilder metric : aggregation.getSubAggregations()) {
      refusePipelines(metric.getPipelineAggregations());
      refuse(
          !isMetric(metric),
          named(metric) + " in [" + aggregation.getName() + "]",
          "avg, sum or value_count in buckets");
      refuse(
          metric.getName().equals(CountBounds.NAME),
          "an aggregation called [" + CountBounds.NAME + "] in buckets",
          "another name");
    }
  }

  private static boolean isMetric(AggregationBuilder aggregation) {
    return aggregation instanceof AvgAggregationBuilder
        || aggregation instanceof SumAggregationBuilder
        || aggregation instanceof ValueCountAggregationBuilder;
  }

  private static Buckets buckets(AggregationBuilder aggregation) {
    return switch (aggregation) {
      case TermsAggregationBuilder terms -> terms(terms);
      case HistogramAggregationBuilder numbers -> {
        refuseOrder(numbers, numbers.order());
        Buckets asked = new Buckets(Integer.MAX_VALUE, numbers.minDocCount(), numbers.order());
        numbers.minDocCount(Math.min(1, numbers.minDocCount()));
        yield asked;
      }
      case DateHistogramAggregationBuilder dates -> {
        refuseOrder(dates, dates.order());
        Buckets asked = new Buckets(Integer.MAX_VALUE, dates.minDocCount(), dates.order());
        dates.minDocCount(Math.min(1, dates.minDocCount()));
        yield asked;
      }
      default ->
          throw new IllegalArgumentException(
              "got "
                  + named(aggregation)
                  + ", which can't be sampled (expected: terms, histogram, date_histogram, avg, sum"
                  + " or value_count)");
    };
  }

  private static Buckets terms(TermsAggregationBuilder terms) {
    boolean byKey = InternalOrder.isKeyOrder(terms.order());
    refuseOrder(terms, terms.order());
    refuse(
        !byKey && !InternalOrder.isCountDesc(terms.order()),
        named(terms) + " with the rarest terms first",
        "[order] by _count, the most first, or by _key");
    refuse(terms.minDocCount() == 0, named(terms) + " with [min_doc_count: 0]", "1 or more");
    refuse(
        byKey && terms.minDocCount() > 1,
        named(terms) + " by _key with [min_doc_count] over 1",
        "1, or [order] by _count");
    refuse(
        terms.shardMinDocCount() > 1, named(terms) + " with [shard_min_doc_count]", "none, or 1");
    Buckets asked = new Buckets(terms.size(), terms.minDocCount(), terms.order());
    terms.minDocCount(1);
    if (!byKey) {
      long more = Math.min((long) TIMES * terms.size(), (long) terms.size() + MOST_MORE);
      terms.shardSize(
          (int)
              Math.min(
                  Integer.MAX_VALUE, Math.max(Math.max(LEAST_TERMS, more), terms.shardSize())));
    }
    return asked;
  }

  /** Orders by other aggregations are known of buckets that were kept, not of the others. */
  private static void refuseOrder(AggregationBuilder aggregation, BucketOrder order) {
    boolean by =
        order instanceof InternalOrder.Aggregation
            || (order instanceof InternalOrder.CompoundOrder several
                && several.orderElements().stream()
                    .anyMatch(InternalOrder.Aggregation.class::isInstance));
    refuse(by, named(aggregation) + " ordered by another aggregation", "[order] by _count or _key");
  }

  private static String named(AggregationBuilder aggregation) {
    return "the aggregation [" + aggregation.getName() + "] (" + aggregation.getType() + ")";
  }
}
