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

/** A way to those parts of OpenSearch's search coordination that only its own package sees. */
@NullMarked
public final class SearchInternals {
  private SearchInternals() {}

  /** What became of the aggregations; null where there are none. */
  public static @Nullable InternalAggregations aggregations(ReducedQueryPhase reduced) {
    return reduced.aggregations;
  }

  /** Whether a shard ran out of time. */
  public static boolean isTimedOut(ReducedQueryPhase reduced) {
    return reduced.timedOut;
  }

  /** The documents of an answer's page. Immutable. */
  public static final class DocPage {
    private final RankedDocs docs;
    private final int size;
    private final DocValueFormat @Nullable [] sortFormats;
    private final int scoreIndex;

    /**
     * Makes a page.
     *
     * @param docs of which the first {@code size} are on it
     * @param formats of the values that {@code docs} are sorted by; null when by score alone
     * @param scoreAt which of these values is the score; negative for none
     */
    public DocPage(RankedDocs docs, int size, DocValueFormat @Nullable [] formats, int scoreAt) {
      this.docs = docs;
      this.size = size;
      this.sortFormats = formats;
      this.scoreIndex = scoreAt;
    }

    /** How many documents there are. */
    public int size() {
      return size;
    }

    /** Of which shard one is. */
    public int shardIndex(int i) {
      return docs.shardIndex(i);
    }

    /** The score of one; not where they are sorted by more. */
    public float score(int i) {
      return docs.score(i);
    }

    /** What one is sorted by; not where that is the score alone. */
    public Object[] sortFields(int i) {
      return docs.sortFields(i);
    }

    /** Of the values that they are sorted by; null when by score alone. */
    public DocValueFormat @Nullable [] sortFormats() {
      return sortFormats;
    }

    /** Which of these values is the score; negative for none. */
    public int scoreIndex() {
      return scoreIndex;
    }
  }

  /** The page of a search; null if there is more in its answer than hits and aggregations. */
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

  /** A search's answer, with a page of hits that are put into {@code hits} later, or never. */
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
   * Reduces the answers of a search's shards at once.
   *
   * @param results none of which is empty, by shard
   * @param contexts what reductions of aggregations go by
   * @param aggregations those of all answers, reduced; null for none
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

  /** Whether the documents of all shards are numbers, and nothing else of theirs is fetched. */
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

  /** Reduces the answers of a scroll's shards. */
  public static ReducedQueryPhase reduceScroll(
      SearchPhaseController controller, Collection<? extends SearchPhaseResult> results) {
    return controller.reducedScrollQueryPhase(results);
  }

  /** Whether OpenSearch would ask the shards first whether they can match. */
  public static boolean shouldRunCanMatch(
      ClusterState state, SearchRequest request, String[] concreteIndices, int shards) {
    return TransportSearchAction.shouldPreFilterSearchShards(
        state, request, concreteIndices, shards);
  }

  /** Frees the context of a search that is over. */
  public static TransportRequest createFreeContextRequest(
      OriginalIndices indices, ShardSearchContextId id) {
    return new SearchTransportService.SearchFreeContextRequest(indices, id);
  }

  /** Frees a context of a scroll. */
  public static TransportRequest createFreeScrollContextRequest(ShardSearchContextId id) {
    return new SearchTransportService.ScrollFreeContextRequest(id);
  }

  /** Frees contexts of points in time on one node. */
  public static TransportRequest createFreePitContextsRequest(
      List<PitSearchContextIdForNode> contexts) {
    return new SearchTransportService.PitFreeContextsRequest(contexts);
  }

  /** Reads whether a context was freed. */
  public static Writeable.Reader<SearchTransportService.SearchFreeContextResponse>
      freeContextResponseReader() {
    return SearchTransportService.SearchFreeContextResponse::new;
  }

  /** Reads what a context says when it was told of its point in time. */
  public static Writeable.Reader<UpdatePitContextResponse> updatePitResponseReader() {
    return UpdatePitContextResponse::new;
  }

  /** The scroll id of a first answer. */
  public static String buildScrollId(
      AtomicArray<SearchPhaseResult> results, String[] indices, Version oldestNode) {
    return TransportSearchHelper.buildScrollId(results, indices, oldestNode);
  }

  /** What a scroll id says. */
  public static ParsedScrollId parseScrollId(String id) {
    return TransportSearchHelper.parseScrollId(id);
  }

  /** The search that opening a point in time is. */
  public static SearchRequest toSearchRequest(CreatePitRequest request) {
    return request.toSearchRequest();
  }

  /** A search that counts as begun at a time: what {@code now} means in it. */
  public static SearchRequest withStartTime(SearchRequest like, long millis) {
    return SearchRequest.subSearchRequest(like, Strings.EMPTY_ARRAY, "", millis, true);
  }
}
