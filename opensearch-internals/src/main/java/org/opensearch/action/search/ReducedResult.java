package org.opensearch.action.search;

import org.jspecify.annotations.NullMarked;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.action.search.SearchPhaseController.SortedTopDocs;

/**
 * What the answers of a search's query phase came to: OpenSearch's object, whose documents may be
 * numbers beside it. Immutable.
 */
@NullMarked
public final class ReducedResult {
  private final ReducedQueryPhase withoutDocs;
  private final RankedDocs docs;

  private ReducedResult(ReducedQueryPhase rest, RankedDocs docs) {
    this.withoutDocs = rest;
    this.docs = docs;
  }

  /** What OpenSearch reduced. */
  public static ReducedResult of(ReducedQueryPhase whole) {
    return new ReducedResult(whole, RankedDocs.of(whole.sortedTopDocs.scoreDocs));
  }

  /**
   * What was reduced without documents, and these.
   *
   * @param docs sorted by score alone
   */
  static ReducedResult of(ReducedQueryPhase rest, RankedDocs docs) {
    return new ReducedResult(rest, docs);
  }

  /** The documents that won. */
  public RankedDocs docs() {
    return docs;
  }

  /** All but the documents; these too if they are objects. */
  public ReducedQueryPhase withoutDocs() {
    return withoutDocs;
  }

  /** All with the documents as objects. */
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
