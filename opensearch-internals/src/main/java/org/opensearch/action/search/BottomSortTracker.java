package org.opensearch.action.search;

import org.apache.lucene.search.TopFieldDocs;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.internal.SearchContext;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.query.QuerySearchResult;

/**
 * Lets later shards skip documents according to earlier shards' results: documents that sort after
 * the worst of the current top documents, and counting if enough hits are counted. Only for
 * searches sorted by fields, never for scrolls. Confined to one thread.
 */
@NullMarked
public final class BottomSortTracker {
  private final int topDocs;
  private final int trackTotalHitsUpTo;
  private @Nullable BottomSortValuesCollector collector;

  /** Creates a tracker for a search. */
  public BottomSortTracker(SearchRequest request) {
    this.topDocs = SearchPhaseController.getTopDocsSize(request);
    this.trackTotalHitsUpTo = request.resolveTrackTotalHitsUpTo();
  }

  /** Adds a shard's result. */
  public void collect(QuerySearchResult result) {
    if (result.isNull()
        || result.topDocs() == null
        || !result.topDocs().topDocs.getClass().equals(TopFieldDocs.class)) {
      return;
    }
    TopFieldDocs docs = (TopFieldDocs) result.topDocs().topDocs;
    if (collector == null) {
      collector = new BottomSortValuesCollector(topDocs, docs.fields);
    }
    collector.consumeTopDocs(docs, result.sortValueFormats());
  }

  /** Adds the limits to a request that is not sent yet. */
  public void applyTo(ShardSearchRequest request) {
    BottomSortValuesCollector known = collector;
    if (known == null) {
      return;
    }
    if (trackTotalHitsUpTo != SearchContext.TRACK_TOTAL_HITS_ACCURATE
        && known.getTotalHits() > trackTotalHitsUpTo) {
      request.source(request.source().shallowCopy().trackTotalHits(false));
    }
    if (known.getBottomSortValues() != null) {
      request.setBottomSortValues(known.getBottomSortValues());
    }
  }
}
