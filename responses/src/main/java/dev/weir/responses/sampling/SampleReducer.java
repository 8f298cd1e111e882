package dev.weir.responses.sampling;

import dev.weir.core.reduce.memory.SearchCircuitBreaker;
import dev.weir.core.reduce.query.QueryPhaseReducer;
import dev.weir.core.reduce.query.SampledReduction;
import dev.weir.responses.sampling.ShardSample.Estimates;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.ReducedResult;
import org.opensearch.action.search.SearchInternals;
import org.opensearch.common.io.stream.DelayableWriteable;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.internal.InternalSearchResponse;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Reduces a sample's results to estimates for all shards. It deserializes them a second time in
 * addition to the plain reduction, which fills the gaps in histograms, and reserves memory for that
 * while it holds them. Used by one thread at a time.
 */
public final class SampleReducer implements SampledReduction {
  /**
   * The reservation for one aggregation of a bucket in lists and tables, as a number of buckets
   * without documents.
   */
  private static final int BUCKET_COPIES = 2;

  private static final int NOT_QUERIED = -1;

  private final ShardSample sample;
  private final NamedWriteableRegistry namedWriteables;
  private final SearchCircuitBreaker breaker;
  private List<Integer> queriedOrdinals = List.of();
  private @Nullable Estimates estimates;

  SampleReducer(
      ShardSample sample, NamedWriteableRegistry namedWriteables, SearchCircuitBreaker breaker) {
    this.sample = sample;
    this.namedWriteables = namedWriteables;
    this.breaker = breaker;
  }

  @Override
  public void setQueriedShards(List<Integer> ordinals) {
    queriedOrdinals = ordinals;
  }

  @Override
  public ReducedResult reduce(QueryPhaseReducer results, int shards) throws Exception {
    List<SampledShardResult> answers = new ArrayList<>(shards);
    int[] places = resultIndexes(shards);
    long held = 0;
    try {
      for (int ordinal = 0; ordinal < shards; ordinal++) {
        if (places[ordinal] == NOT_QUERIED) {
          answers.add(SampledShardResult.empty(ordinal));
          continue;
        }
        SearchPhaseResult result = results.results().get(places[ordinal]);
        if (result == null) {
          continue; // the shard failed
        }
        QuerySearchResult query = result.queryResult();
        if (query.isNull()) {
          answers.add(SampledShardResult.empty(ordinal));
          continue;
        }
        held += reserve(query);
        answers.add(shardResult(ordinal, query));
      }
      ReducedResult reduced = results.reduce();
      estimates =
          sample.estimate(
              answers,
              SearchInternals.aggregations(reduced.withoutDocs()),
              !SearchInternals.isTimedOut(reduced.withoutDocs()),
              buckets -> breaker.reserveBuckets(BUCKET_COPIES * buckets));
      return reduced;
    } finally {
      breaker.addWithoutBreaking(-held);
    }
  }

  /** Returns, by ordinal, a shard's index among the queried shards. */
  private int[] resultIndexes(int shards) {
    int[] places = new int[shards];
    Arrays.fill(places, NOT_QUERIED);
    for (int place = 0; place < queriedOrdinals.size(); place++) {
      places[queriedOrdinals.get(place)] = place;
    }
    return places;
  }

  /** Reserves memory for deserialized aggregations. */
  private long reserve(QuerySearchResult query) {
    DelayableWriteable<InternalAggregations> aggregations = query.aggregations();
    if (aggregations == null) {
      return 0;
    }
    long bytes =
        aggregations.asSerialized(InternalAggregations::readFrom, namedWriteables).ramBytesUsed();
    breaker.addEstimateBytesAndMaybeBreak(bytes, "<sampled_aggs>");
    return bytes;
  }

  private static SampledShardResult shardResult(int ordinal, QuerySearchResult query) {
    TotalHits total = query.topDocs().topDocs.totalHits;
    DelayableWriteable<InternalAggregations> aggregations = query.aggregations();
    return new SampledShardResult(
        ordinal,
        total == null ? 0 : total.value(),
        aggregations == null ? null : aggregations.expand());
  }

  @Override
  public InternalSearchResponse applyEstimates(InternalSearchResponse merged) {
    Estimates current = estimates;
    if (current == null) {
      return merged;
    }
    TotalHits total = merged.hits().getTotalHits();
    return new InternalSearchResponse(
        new SearchHits(
            merged.hits().getHits(),
            total == null ? null : new TotalHits(current.hits(), TotalHits.Relation.EQUAL_TO),
            merged.hits().getMaxScore()),
        current.aggregations(),
        merged.suggest(),
        null,
        merged.timedOut(),
        merged.terminatedEarly(),
        merged.getNumReducePhases());
  }

  @Override
  public Map<String, Object> describe() {
    Estimates known = estimates;
    return known == null ? sample.describeEmpty() : known.description();
  }

  @Override
  public void recordSearch() {
    sample.recordSearch();
  }
}
