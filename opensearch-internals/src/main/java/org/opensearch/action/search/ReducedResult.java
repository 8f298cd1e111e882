package org.opensearch.action.search;

import org.jspecify.annotations.NullMarked;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.action.search.SearchPhaseController.SortedTopDocs;

/**
 * The reduced result of a search's query phase: OpenSearch's object, with the documents beside it
 * if they are numbers. Immutable.
 */
@NullMarked
public final class ReducedResult {
  private final ReducedQueryPhase withoutDocs;
  private final RankedDocs docs;

  private ReducedResult(ReducedQueryPhase rest, RankedDocs docs) {
    this.withoutDocs = rest;
    this.docs = docs;
  }

  /** Wraps OpenSearch's reduction. */
  public static ReducedResult of(ReducedQueryPhase whole) {
    return new ReducedResult(whole, RankedDocs.of(whole.sortedTopDocs.scoreDocs));
  }

  /**
   * Combines a reduction without documents with its documents.
   *
   * @param docs sorted by score alone
   */
  static ReducedResult of(ReducedQueryPhase rest, RankedDocs docs) {
    return new ReducedResult(rest, docs);
  }

  /** Returns the top documents. */
  public RankedDocs docs() {
    return docs;
  }

  /** Returns the reduction; it contains the documents only if they are objects. */
  public ReducedQueryPhase withoutDocs() {
    return withoutDocs;
  }

  /** Returns the reduction with the documents as objects. */
  public ReducedQueryPhase withDocs() {
    if (docs instanceof RankedDocs.ScoreDocList) {
      return withoutDocs;
    }
    SortedTopDocs sorted = new SortedTopDocs(docs.toScoreDocs(), false, null, null, null);
    return new ReducedQueryPhase(
        withoutDocs.totalHits,
        withoutDocs.fetchHits,
        withoutDocs.maxScore,
        withoutDocs.timedOut,
        withoutDocs.terminatedEarly,
        withoutDocs.suggest,
        withoutDocs.aggregations,
        withoutDocs.shardResults,
        sorted,
        withoutDocs.sortValueFormats,
        withoutDocs.numReducePhases,
        withoutDocs.size,
        withoutDocs.from,
        withoutDocs.isEmptyResult);
  }
}
