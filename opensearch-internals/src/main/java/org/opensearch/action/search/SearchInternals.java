package org.opensearch.action.search;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.common.Strings;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.DocValueFormat;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchHits;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.InternalAggregation.ReduceContextBuilder;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.internal.InternalSearchResponse;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.search.query.QuerySearchResult;
import org.opensearch.transport.TransportRequest;

/** Gives access to the package-private parts of OpenSearch's search coordination. */
@NullMarked
public final class SearchInternals {
  private SearchInternals() {}

  /** Returns the reduced aggregations; null without any. */
  public static @Nullable InternalAggregations aggregations(ReducedQueryPhase reduced) {
    return reduced.aggregations;
  }

  /** Returns whether a shard timed out. */
  public static boolean isTimedOut(ReducedQueryPhase reduced) {
    return reduced.timedOut;
  }

  /** The documents of a response's page. Immutable. */
  public static final class DocPage {
    private final RankedDocs docs;
    private final int size;
    private final DocValueFormat @Nullable [] sortFormats;
    private final int scoreIndex;

    /**
     * Creates a page.
     *
     * @param docs the first {@code size} of these are on the page
     * @param formats the formats of the sort values; null when sorted by score alone
     * @param scoreAt the index of the score among the sort values; negative for none
     */
    public DocPage(RankedDocs docs, int size, DocValueFormat @Nullable [] formats, int scoreAt) {
      this.docs = docs;
      this.size = size;
      this.sortFormats = formats;
      this.scoreIndex = scoreAt;
    }

    /** Returns the number of documents. */
    public int size() {
      return size;
    }

    /** Returns the shard of a document. */
    public int shardIndex(int i) {
      return docs.shardIndex(i);
    }

    /** Returns the score of a document; only when sorted by score alone. */
    public float score(int i) {
      return docs.score(i);
    }

    /** Returns the sort values of a document; only when not sorted by score alone. */
    public Object[] sortFields(int i) {
      return docs.sortFields(i);
    }

    /** Returns the formats of the sort values; null when sorted by score alone. */
    public DocValueFormat @Nullable [] sortFormats() {
      return sortFormats;
    }

    /** Returns the index of the score among the sort values; negative for none. */
    public int scoreIndex() {
      return scoreIndex;
    }
  }

  /** Returns the page of a search; null if its response has more than hits and aggregations. */
  public static @Nullable DocPage pageOf(ReducedResult found) {
    ReducedQueryPhase reduced = found.withoutDocs();
    SearchPhaseController.SortedTopDocs sorted = reduced.sortedTopDocs;
    if (reduced.isEmptyResult
        || reduced.suggest != null
        || reduced.shardResults != null
        || sorted.collapseField != null) {
      return null;
    }
    int count = (int) Math.min(reduced.fetchHits - reduced.from, reduced.size);
    count = Math.max(0, Math.min(found.docs().size(), count));
    return sorted.isSortedByField
        ? new DocPage(found.docs(), count, reduced.sortValueFormats, scoreIndex(sorted.sortFields))
        : new DocPage(found.docs(), count, null, -1);
  }

  private static int scoreIndex(SortField[] fields) {
    int at = -1;
    for (int i = 0; i < fields.length; i++) {
      if (fields[i].getType() == SortField.Type.SCORE) {
        at = i;
      }
    }
    return at;
  }

  /**
   * Creates a search's response. The hits of its page are put into {@code hits} later, or never.
   */
  public static InternalSearchResponse buildResponse(
      ReducedQueryPhase reduced, @Nullable SearchHit[] hits) {
    return new InternalSearchResponse(
        new SearchHits(
            hits,
            reduced.totalHits,
            reduced.maxScore,
            reduced.sortedTopDocs.sortFields,
            null,
            null),
        reduced.aggregations,
        reduced.suggest,
        null,
        reduced.timedOut,
        reduced.terminatedEarly,
        reduced.numReducePhases);
  }

  /**
   * Reduces the results of a search's shards in a single pass.
   *
   * @param results by shard; none is empty
   * @param contexts builds the reduce contexts of aggregations
   * @param aggregations the reduced aggregations of all results; null for none
   */
  public static ReducedResult reduce(
      SearchPhaseController controller,
      ReduceContextBuilder contexts,
      SearchRequest request,
      List<SearchPhaseResult> results,
      @Nullable InternalAggregations aggregations) {
    SearchPhaseController.TopDocsStats stats =
        new SearchPhaseController.TopDocsStats(request.resolveTrackTotalHitsUpTo());
    boolean hits = request.source() == null || request.source().size() != 0;
    boolean numbers = hits && hasOnlyNumericDocs(results);
    List<TopDocs> best = new ArrayList<>(hits ? results.size() : 0);
    List<ScoredTopDocs> scored = new ArrayList<>(numbers ? results.size() : 0);
    int[] shards = new int[results.size()];
    for (SearchPhaseResult result : results) {
      QuerySearchResult query = result.queryResult();
      TopDocs docs = query.topDocs().topDocs;
      stats.add(query.topDocs(), query.searchTimedOut(), query.terminatedEarly());
      stats.fetchHits += ScoredTopDocs.countDocs(docs) - docs.scoreDocs.length;
      if (hits) {
        query.consumeTopDocs();
        if (numbers) {
          shards[scored.size()] = query.getShardIndex();
          scored.add((ScoredTopDocs) docs);
        } else {
          TopDocs objects = ScoredTopDocs.withScoreDocs(docs);
          SearchPhaseController.setShardIndex(objects, query.getShardIndex());
          best.add(objects);
        }
      }
    }
    ReducedQueryPhase reduced =
        controller.reducedQueryPhase(results, List.of(), best, stats, 0, false, contexts, true);
    if (aggregations != null) {
      reduced = withAggregations(reduced, aggregations);
    }
    return numbers
        ? ReducedResult.of(reduced, ScoredTopDocs.merge(scored, shards, reduced.from, reduced.size))
        : ReducedResult.of(reduced);
  }

  /**
   * Returns whether the documents of all shards are numbers, and the shards have no other documents
   * to fetch.
   */
  private static boolean hasOnlyNumericDocs(List<SearchPhaseResult> results) {
    for (SearchPhaseResult result : results) {
      QuerySearchResult query = result.queryResult();
      if (!(query.topDocs().topDocs instanceof ScoredTopDocs) || query.suggest() != null) {
        return false;
      }
    }
    return true;
  }

  private static ReducedQueryPhase withAggregations(
      ReducedQueryPhase reduced, InternalAggregations aggregations) {
    return new ReducedQueryPhase(
        reduced.totalHits,
        reduced.fetchHits,
        reduced.maxScore,
        reduced.timedOut,
        reduced.terminatedEarly,
        reduced.suggest,
        aggregations,
        reduced.shardResults,
        reduced.sortedTopDocs,
        reduced.sortValueFormats,
        reduced.numReducePhases,
        reduced.size,
        reduced.from,
        reduced.isEmptyResult);
  }

  /** Reduces the results of a scroll's shards. */
  public static ReducedQueryPhase reduceScroll(
      SearchPhaseController controller, Collection<? extends SearchPhaseResult> results) {
    return controller.reducedScrollQueryPhase(results);
  }

  /** Returns whether OpenSearch would start with a can-match round. */
  public static boolean shouldRunCanMatch(
      ClusterState state, SearchRequest request, String[] concreteIndices, int shards) {
    return TransportSearchAction.shouldPreFilterSearchShards(
        state, request, concreteIndices, shards);
  }

  /** Creates the request that frees the context of a search. */
  public static TransportRequest createFreeContextRequest(
      OriginalIndices indices, ShardSearchContextId id) {
    return new SearchTransportService.SearchFreeContextRequest(indices, id);
  }

  /** Creates the request that frees a context of a scroll. */
  public static TransportRequest createFreeScrollContextRequest(ShardSearchContextId id) {
    return new SearchTransportService.ScrollFreeContextRequest(id);
  }

  /** Creates the request that frees contexts of points in time on one node. */
  public static TransportRequest createFreePitContextsRequest(
      List<PitSearchContextIdForNode> contexts) {
    return new SearchTransportService.PitFreeContextsRequest(contexts);
  }

  /** Returns a reader of whether a context was freed. */
  public static Writeable.Reader<SearchTransportService.SearchFreeContextResponse>
      freeContextResponseReader() {
    return SearchTransportService.SearchFreeContextResponse::new;
  }

  /** Returns a reader of the response to an update of a point in time's context. */
  public static Writeable.Reader<UpdatePitContextResponse> updatePitResponseReader() {
    return UpdatePitContextResponse::new;
  }

  /** Creates the scroll id for the first page's response. */
  public static String buildScrollId(
      AtomicArray<SearchPhaseResult> results, String[] indices, Version oldestNode) {
    return TransportSearchHelper.buildScrollId(results, indices, oldestNode);
  }

  /** Parses a scroll id. */
  public static ParsedScrollId parseScrollId(String id) {
    return TransportSearchHelper.parseScrollId(id);
  }

  /** Converts the opening of a point in time to a search. */
  public static SearchRequest toSearchRequest(CreatePitRequest request) {
    return request.toSearchRequest();
  }

  /** Returns a copy of a search that started at a given time, which {@code now} in it refers to. */
  public static SearchRequest withStartTime(SearchRequest like, long millis) {
    return SearchRequest.subSearchRequest(like, Strings.EMPTY_ARRAY, "", millis, true);
  }
}
