package org.opensearch.action.search;

import org.jspecify.annotations.NullMarked;
import org.opensearch.action.search.SearchPhaseController.ReducedQueryPhase;
import org.opensearch.action.search.SearchPhaseController.SortedTopDocs;

/**
 * What the answers of a search's query phase came to: OpenSearch's object, whose documents may be
 * numbers beside it. Immutable.
 */
@NullMarked
public final class Reduced {
  private final ReducedQueryPhase rest;
  private final BestDocs docs;

  private Reduced(ReducedQueryPhase rest, BestDocs docs) {
    this.rest = rest;
    this.docs = docs;
  }

  /** What OpenSearch reduced. */
  public static Reduced of(ReducedQueryPhase whole) {
    return new Reduced(whole, BestDocs.of(whole.sortedTopDocs.scoreDocs));
  }

  /**
   * What was reduced without documents, and these.
   *
   * @param docs sorted by score alone
   */
  static Reduced of(ReducedQueryPhase rest, BestDocs docs) {
    return new Reduced(rest, docs);
  }

  /** The documents that won. */
  public BestDocs docs() {
    return docs;
  }

  /** All but the documents; these too if they are objects. */
  public ReducedQueryPhase rest() {
    return rest;
  }

  /** All with the documents as objects. */
  public ReducedQueryPhase whole() {
    if (docs instanceof BestDocs.Objects) {
      return rest;
    }
    SortedTopDocs sorted = new SortedTopDocs(docs.objects(), false, null, null, null);
    return new ReducedQueryPhase(
        rest.totalHits,
        rest.fetchHits,
        rest.maxScore,
        rest.timedOut,
        rest.terminatedEarly,
        rest.suggest,
        rest.aggregations,
        rest.shardResults,
        sorted,
        rest.sortValueFormats,
        rest.numReducePhases,
        rest.size,
        rest.from,
        rest.isEmptyResult);
  }
}
