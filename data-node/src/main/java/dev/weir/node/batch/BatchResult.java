package dev.weir.node.batch;

import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.internal.ShardSearchContextId;

/**
 * The result of one request of a batch. Immutable, but for the query's result that is not written
 * yet.
 *
 * @param place of the request in the batch
 * @param isQuery whether its bytes begin with the id of a search context, if it has one
 * @param bytes in the version of the gateway; empty while there is a query
 * @param openContext the search context that it may leave open, if the batch may free it; null for
 *     none
 * @param query the result of a query that is not written yet; null if it is
 * @param reduction what the node did to the result together with others
 */
record BatchResult(
    int place,
    boolean failed,
    boolean isQuery,
    BytesReference bytes,
    @Nullable ShardSearchContextId openContext,
    @Nullable UnwrittenQuery query,
    Reduction reduction) {
  private static final BytesReference NOT_WRITTEN = BytesArray.EMPTY;

  /**
   * What was done to a result.
   *
   * @param isReduced whether it was reduced together with others of its response
   * @param leftOutHits how many of its hits were left out
   * @param closesContext whether none was left, so that nothing needs its search context
   * @param isMerged whether its aggregations and those of others became one
   */
  record Reduction(boolean isReduced, int leftOutHits, boolean closesContext, boolean isMerged) {
    static final Reduction NONE = new Reduction(false, 0, false, false);
  }

  /** A failure, written. */
  static BatchResult failed(int place, BytesReference bytes) {
    return new BatchResult(place, true, false, bytes, null, null, Reduction.NONE);
  }

  /** A result, written. */
  static BatchResult written(
      int place, boolean isQuery, BytesReference bytes, @Nullable ShardSearchContextId context) {
    return new BatchResult(place, false, isQuery, bytes, context, null, Reduction.NONE);
  }

  /** A query's result that is written after its reduction. */
  static BatchResult unwritten(
      int place, UnwrittenQuery query, @Nullable ShardSearchContextId context) {
    return new BatchResult(place, false, true, NOT_WRITTEN, context, query, Reduction.NONE);
  }

  /** Returns the same result with what was done to it. */
  BatchResult reduced(Reduction done) {
    return new BatchResult(place, failed, isQuery, bytes, openContext, query, done);
  }

  /** Returns the same result as bytes. */
  BatchResult asBytes(BytesReference written) {
    return new BatchResult(place, failed, isQuery, written, openContext, null, reduction);
  }

  /** Returns a failure in place of the result, which others were reduced with. */
  BatchResult asFailure(BytesReference written) {
    return new BatchResult(
        place, true, false, written, openContext, null, new Reduction(true, 0, true, false));
  }

  boolean isReduced() {
    return reduction.isReduced();
  }

  int leftOutHits() {
    return reduction.leftOutHits();
  }

  boolean isMerged() {
    return reduction.isMerged();
  }

  /** Returns whether it is one of a query that may keep its search context. */
  boolean mayKeepContext() {
    return isQuery && (query == null || query.hitOrder() == null);
  }

  /** Returns whether it may have a search context that a gateway has to free. */
  boolean hasContext() {
    return !reduction.closesContext();
  }

  /** Returns its size on the wire; about that if it is not written yet. */
  long size() {
    return query == null ? bytes.length() : query.estimatedBytes();
  }
}
