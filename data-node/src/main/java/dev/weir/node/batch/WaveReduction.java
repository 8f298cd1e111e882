package dev.weir.node.batch;

import dev.weir.node.reduction.AggregationMerge;
import dev.weir.node.reduction.BestHits;
import dev.weir.node.reduction.BestHits.ShardHits;
import dev.weir.node.reduction.FieldOrder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.io.stream.NamedWriteableRegistry;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Reduces the query results that go into one response: of all shards together only as many hits
 * stay as the search can use, and their aggregations become one. A shard without any of the hits
 * loses its search context, as one without hits does, and the copy of its request. The first shard
 * has the aggregations of all, and the others have empty ones. All else of a result stays. The
 * results belong to the thread that reduces them; one thread at a time.
 */
final class WaveReduction {
  /** So much of the beginning of a response is known to a gateway that can't read the rest. */
  private static final int KNOWN_BYTES = 1000;

  /** A search context in the beginning of a response, with the place of its request. */
  private static final int CONTEXT_BYTES = 35;

  /** A result without one. */
  private static final int PLACE_BYTES = 4;

  private static final int MAX_RESULTS = 128;

  /** About what a result takes on the wire beside its hits, and what a hit takes. */
  private static final int RESULT_BYTES = 512;

  private static final int HIT_BYTES = 9;

  /** About what small aggregations take: ten buckets with a number each. */
  private static final int AGGREGATIONS_BYTES = 1 << 10;

  private static final Logger LOG = LogManager.getLogger(WaveReduction.class);

  private final ReductionLimits limits;
  private final AggregationMerge aggregations;
  private final NamedWriteableRegistry writeables;

  /**
   * Creates the reduction of a search.
   *
   * @param writeables reads formats of values
   */
  WaveReduction(ReductionLimits limits, NamedWriteableRegistry writeables) {
    this.limits = limits;
    this.writeables = writeables;
    this.aggregations = new AggregationMerge(writeables);
  }

  /**
   * Returns how many results one response may have, so that the ids of all search contexts are in
   * what the gateway knows of a response that it can't read.
   *
   * @param least how many a response may have whose results were not reduced
   */
  int maxResults(int least) {
    if (!limits.hits()) {
      return least;
    }
    int contexts = Math.min(limits.maxHits(), MAX_RESULTS);
    return Math.max(
        least, Math.min(MAX_RESULTS, (KNOWN_BYTES - CONTEXT_BYTES * contexts) / PLACE_BYTES));
  }

  /**
   * Returns a result as one that can be reduced; null if it has to stay as it is.
   *
   * @param shardIndex the shard's place in the results of the search
   * @param response of a request without a scroll
   */
  @Nullable UnwrittenQuery reducible(int shardIndex, TransportResponse response) {
    if (!(response instanceof QuerySearchResult result)
        || result.isNull()
        || result.hasConsumedTopDocs()
        || result.suggest() != null
        || result.hasProfileResults()) {
      return null;
    }
    Comparator<ScoreDoc> order = hitOrder(result);
    if (limits.hits() ? order == null : result.aggregations() == null) {
      return null;
    }
    BytesReference written = writeAggregations(result);
    long aggregationBytes = written == null ? estimateAggregations(result) : written.length();
    long bytes =
        RESULT_BYTES
            + (long) HIT_BYTES * result.topDocs().topDocs.scoreDocs.length
            + aggregationBytes;
    return new UnwrittenQuery(shardIndex, result, bytes, aggregationBytes, order, written);
  }

  /** Returns the order of a result's hits; null if they are in none of those that count. */
  private @Nullable Comparator<ScoreDoc> hitOrder(QuerySearchResult result) {
    if (limits.hits() && result.topDocs().topDocs.scoreDocs.length == 0) {
      return BestHits.BY_SCORE; // any: a shard that can skip all documents does not sort them
    }
    if (limits.byScore() && BestHits.isOrdered(result.topDocs().topDocs)) {
      return BestHits.BY_SCORE;
    }
    return limits.byFields() ? FieldOrder.of(result.topDocs().topDocs) : null;
  }

  /** Returns the bytes of aggregations that may be merged; null for none. */
  private @Nullable BytesReference writeAggregations(QuerySearchResult result) {
    if (!limits.aggregations() || result.aggregations() == null) {
      return null;
    }
    try {
      BytesStreamOutput out = new BytesStreamOutput(AGGREGATIONS_BYTES);
      result.aggregations().expand().writeTo(out);
      return out.bytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // fails the query, as if it were written later
    }
  }

  private static long estimateAggregations(QuerySearchResult result) {
    return result.aggregations() == null
        ? 0
        : AggregationEstimate.bytes(result.aggregations().expand());
  }

  /**
   * Reduces the results of one response. Those that can't be reduced stay as they are.
   *
   * @return all results, of which those with a query are not written yet, in the same order
   */
  List<BatchResult> reduce(List<BatchResult> wave) {
    List<UnwrittenQuery> queries = new ArrayList<>(wave.size());
    for (BatchResult one : wave) {
      if (one.query() != null) {
        queries.add(one.query());
      }
    }
    int[] selected = selectHits(queries);
    Set<UnwrittenQuery> merged = limits.aggregations() ? mergeAggregations(queries) : Set.of();
    List<BatchResult> reduced = new ArrayList<>(wave.size());
    int list = 0;
    for (BatchResult one : wave) {
      UnwrittenQuery query = one.query();
      if (query == null) {
        reduced.add(one);
        continue;
      }
      int kept = selected[list++];
      int leftOut = query.hits().scoreDocs.length - kept;
      if (leftOut > 0) {
        query.keep(kept);
      }
      boolean closes = query.hitOrder() != null && kept == 0;
      reduced.add(
          one.reduced(new BatchResult.Reduction(true, leftOut, closes, merged.contains(query))));
    }
    return reduced;
  }

  /** Returns how many of each query's first hits stay. */
  private int[] selectHits(List<UnwrittenQuery> queries) {
    List<ShardHits> shards = new ArrayList<>(queries.size());
    Comparator<ScoreDoc> common = null;
    boolean alike = true;
    for (UnwrittenQuery query : queries) {
      shards.add(new ShardHits(query.shardIndex(), query.hits().scoreDocs));
      if (query.hits().scoreDocs.length > 0) {
        common = common == null ? query.hitOrder() : common;
        alike &= common != null && common.equals(query.hitOrder());
      }
    }
    if (alike && common != null) {
      try {
        return BestHits.select(shards, limits.maxHits(), common);
      } catch (ClassCastException unlike) {
        LOG.debug("keep the hits of shards with unlike sort values", unlike);
      }
    }
    return shards.stream().mapToInt(shard -> shard.hits().length).toArray();
  }

  /**
   * Merges aggregations into the query of the shard that a gateway reduces first.
   *
   * @return the queries that have no aggregations of their own any more; none if they don't merge
   */
  private Set<UnwrittenQuery> mergeAggregations(List<UnwrittenQuery> queries) {
    List<UnwrittenQuery> ordered =
        queries.stream()
            .filter(query -> query.result().aggregations() != null)
            .sorted(Comparator.comparingInt(UnwrittenQuery::shardIndex))
            .toList();
    if (ordered.size() < 2) {
      return Set.of();
    }
    List<InternalAggregations> parts = new ArrayList<>(ordered.size());
    for (UnwrittenQuery query : ordered) {
      InternalAggregations own = query.aggregations();
      if (own != null) {
        parts.add(own);
      }
    }
    if (!AggregationMerge.canMerge(parts)) {
      return Set.of();
    }
    InternalAggregations all = aggregations.merge(parts);
    if (all == null) {
      ordered.forEach(query -> query.restoreAggregations(writeables));
      return Set.of();
    }
    ordered.getFirst().setAggregations(all);
    ordered.stream().skip(1).forEach(query -> query.setAggregations(InternalAggregations.EMPTY));
    return new HashSet<>(ordered);
  }
}
