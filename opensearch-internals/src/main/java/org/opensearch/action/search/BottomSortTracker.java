package org.opensearch.action.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.TotalHits;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.DocValueFormat;
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
  /** So many results are merged at the latest. */
  private static final int MAX_UNMERGED = 16;

  private final int topDocs;
  private final int trackTotalHitsUpTo;
  private final boolean mergesHits;
  private final List<TopFieldDocs> unmerged = new ArrayList<>();
  private @Nullable BottomSortValuesCollector collector;
  private DocValueFormat @Nullable [] formats;

  /**
   * Creates a tracker for a search.
   *
   * @param mergesHits whether nodes leave out hits that other shards have better ones for, so that
   *     the current top documents are those of several results
   */
  public BottomSortTracker(SearchRequest request, boolean mergesHits) {
    this.topDocs = SearchPhaseController.getTopDocsSize(request);
    this.mergesHits = mergesHits;
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
    if (mergesHits && docs.scoreDocs.length > 0 && isComparable(docs)) {
      if (unmerged.size() == MAX_UNMERGED) {
        mergeHits(collector);
      }
      unmerged.add(copyOf(docs, unmerged.size()));
      formats = result.sortValueFormats();
    }
  }

  /** Returns whether a result has sort values of the same types as those before. */
  private boolean isComparable(TopFieldDocs docs) {
    return unmerged.isEmpty() || Arrays.equals(docs.fields, unmerged.getFirst().fields);
  }

  /** Adds the limits to a request that is not sent yet. */
  public void applyTo(ShardSearchRequest request) {
    BottomSortValuesCollector known = collector;
    if (known == null) {
      return;
    }
    mergeHits(known);
    if (trackTotalHitsUpTo != SearchContext.TRACK_TOTAL_HITS_ACCURATE
        && known.getTotalHits() > trackTotalHitsUpTo) {
      request.source(request.source().shallowCopy().trackTotalHits(false));
    }
    if (known.getBottomSortValues() != null) {
      request.setBottomSortValues(known.getBottomSortValues());
    }
  }

  /** Finds the worst of the top documents of all results. */
  private void mergeHits(BottomSortValuesCollector known) {
    if (unmerged.size() < 2) {
      return;
    }
    SortField[] fields = unmerged.getFirst().fields;
    TopFieldDocs best =
        TopDocs.merge(new Sort(fields), topDocs, unmerged.toArray(TopFieldDocs[]::new));
    unmerged.clear();
    unmerged.add(copyOf(best, 0));
    if (formats != null) {
      known.consumeTopDocs(unmerged.getFirst(), formats);
    }
  }

  /**
   * Copies hits, which the reduction numbers by shard; without counting them again.
   *
   * @param place of the copy among those to merge, which orders equal hits of several
   */
  private static TopFieldDocs copyOf(TopFieldDocs docs, int place) {
    ScoreDoc[] hits = new ScoreDoc[docs.scoreDocs.length];
    for (int i = 0; i < hits.length; i++) {
      FieldDoc hit = (FieldDoc) docs.scoreDocs[i];
      hits[i] = new FieldDoc(hit.doc, hit.score, hit.fields, place);
    }
    return new TopFieldDocs(new TotalHits(0, TotalHits.Relation.EQUAL_TO), hits, docs.fields);
  }
}
