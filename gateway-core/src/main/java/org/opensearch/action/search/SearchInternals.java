package org.opensearch.action.search;

import java.util.Collection;
import java.util.List;
import org.apache.lucene.search.ScoreDoc;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.util.concurrent.AtomicArray;
import org.opensearch.core.common.io.stream.Writeable;
import org.opensearch.search.SearchPhaseResult;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.internal.ShardSearchContextId;
import org.opensearch.transport.TransportRequest;

/** A way to those parts of OpenSearch's search coordination that only its own package sees. */
@NullMarked
public final class SearchInternals {
  private SearchInternals() {}

  /** The documents that won, in order. */
  public static ScoreDoc[] scoreDocs(ReducedQueryPhase reduced) {
    return reduced.sortedTopDocs.scoreDocs;
  }

  /** What became of the aggregations; null where there are none. */
  public static @Nullable InternalAggregations aggregations(ReducedQueryPhase reduced) {
    return reduced.aggregations;
  }

  /** Whether a shard ran out of time. */
  public static boolean timedOut(ReducedQueryPhase reduced) {
    return reduced.timedOut;
  }

  /** Reduces the answers of a scroll's shards. */
  public static ReducedQueryPhase reduceScroll(
      SearchPhaseController controller, Collection<? extends SearchPhaseResult> results) {
    return controller.reducedScrollQueryPhase(results);
  }

  /** Whether OpenSearch would ask the shards first whether they can match. */
  public static boolean asksCanMatch(
      ClusterState state, SearchRequest request, String[] concreteIndices, int shards) {
    return TransportSearchAction.shouldPreFilterSearchShards(
        state, request, concreteIndices, shards);
  }

  /** Frees the context of a search that is over. */
  public static TransportRequest freeContext(OriginalIndices indices, ShardSearchContextId id) {
    return new SearchTransportService.SearchFreeContextRequest(indices, id);
  }

  /** Frees a context of a scroll. */
  public static TransportRequest freeScrollContext(ShardSearchContextId id) {
    return new SearchTransportService.ScrollFreeContextRequest(id);
  }

  /** Frees contexts of points in time on one node. */
  public static TransportRequest freePitContexts(List<PitSearchContextIdForNode> contexts) {
    return new SearchTransportService.PitFreeContextsRequest(contexts);
  }

  /** Reads whether a context was freed. */
  public static Writeable.Reader<SearchTransportService.SearchFreeContextResponse> freed() {
    return SearchTransportService.SearchFreeContextResponse::new;
  }

  /** Reads what a context says when it was told of its point in time. */
  public static Writeable.Reader<UpdatePitContextResponse> pitUpdated() {
    return UpdatePitContextResponse::new;
  }

  /** The scroll id of a first answer. */
  public static String scrollId(
      AtomicArray<SearchPhaseResult> results, String[] indices, Version oldestNode) {
    return TransportSearchHelper.buildScrollId(results, indices, oldestNode);
  }

  /** What a scroll id says. */
  public static ParsedScrollId parseScrollId(String id) {
    return TransportSearchHelper.parseScrollId(id);
  }

  /** The search that opening a point in time is. */
  public static SearchRequest searchOf(CreatePitRequest request) {
    return request.toSearchRequest();
  }
}
