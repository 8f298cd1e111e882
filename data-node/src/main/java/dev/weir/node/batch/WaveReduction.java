package dev.weir.node.batch;

import dev.weir.node.reduction.BestHits;
import dev.weir.node.reduction.BestHits.ShardHits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.transport.TransportRequest;

/**
 * Reduces the query results that go into one response: of all shards together only as many hits
 * stay as the search can use. A shard without any of them loses its search context, as one without
 * hits does, and the copy of its request. All else of a result stays. Immutable; the results belong
 * to the thread that reduces them.
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

  private final int maxHits;

  /**
   * Creates a reduction.
   *
   * @param maxHits how many hits the search can use
   */
  WaveReduction(int maxHits) {
    this.maxHits = maxHits;
  }

  /**
   * Returns how many results one response may have, so that the ids of all search contexts are in
   * what the gateway knows of a response that it can't read.
   *
   * @param least how many a response may have whose results were not reduced
   */
  int maxResults(int least) {
    int contexts = Math.min(maxHits, MAX_RESULTS);
    return Math.max(
        least, Math.min(MAX_RESULTS, (KNOWN_BYTES - CONTEXT_BYTES * contexts) / PLACE_BYTES));
  }

  /**
   * Returns a result as one that can be reduced; null if it has to stay as it is.
   *
   * @param shardIndex the shard's place in the results of the search
   * @param request null if it can't be read
   */
  static @Nullable UnwrittenQuery reducible(
      int shardIndex, @Nullable TransportRequest request, TransportResponse response) {
    if ((request instanceof ShardSearchRequest search && search.scroll() != null)
        || !(response instanceof QuerySearchResult result)
        || result.isNull()
        || result.hasConsumedTopDocs()
        || result.suggest() != null
        || !BestHits.isOrdered(result.topDocs().topDocs)) {
      return null;
    }
    return new UnwrittenQuery(shardIndex, result, estimateBytes(result));
  }

  /** Returns about how many bytes a result takes. Writes aggregations to know it. */
  private static long estimateBytes(QuerySearchResult result) {
    long hits = RESULT_BYTES + (long) HIT_BYTES * result.topDocs().topDocs.scoreDocs.length;
    return result.aggregations() == null
        ? hits
        : hits + result.aggregations().expand().getSerializedSize();
  }

  /**
   * Reduces the results of one response. Those that can't be reduced stay as they are.
   *
   * @return all results, of which those with a query are not written yet, in the same order
   */
  List<BatchResult> reduce(List<BatchResult> wave) {
    List<ShardHits> shards = new ArrayList<>(wave.size());
    for (BatchResult one : wave) {
      UnwrittenQuery query = one.query();
      if (query != null) {
        shards.add(new ShardHits(query.shardIndex(), query.hits().scoreDocs));
      }
    }
    int[] selected = BestHits.select(shards, maxHits);
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
      reduced.add(one.reduced(leftOut, kept == 0));
    }
    return reduced;
  }
}
