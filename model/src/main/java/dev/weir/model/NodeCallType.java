package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * The type of a call to a node, as far as it is known before the call is sent: its phase, and
 * within the phase a class of calls of similar cost. The gateway learns the actual cost of each
 * class.
 */
public enum NodeCallType {
  /** Can-match: whether a shard can match at all. */
  CAN_MATCH(Phase.CAN_MATCH, 0),
  /** Query phase with up to 100 top hits. */
  HITS(Phase.QUERY, 0),
  /** Query phase that only counts, without hits or aggregations. */
  COUNT(Phase.QUERY, 1),
  /** Query phase with more top hits, or with collapsing or rescoring. */
  MANY_HITS(Phase.QUERY, 2),
  /** Query phase with aggregations. */
  AGGREGATIONS(Phase.QUERY, 3),
  /** Query phase with scripts, with queries that visit many terms, or with suggesters. */
  SCRIPTS(Phase.QUERY, 4),
  /** Query and fetch phase of the only shard, with up to 100 top hits. */
  QUERY_AND_FETCH(Phase.QUERY, 5),
  /** Query and fetch phase of the only shard, with more top hits. */
  QUERY_AND_FETCH_MANY(Phase.QUERY, 6),
  /** Term statistics (the DFS phase). */
  TERM_STATISTICS(Phase.QUERY, 7),
  /** Opens a search context for a point in time. */
  OPEN_POINT_IN_TIME(Phase.QUERY, 8),
  /** The next page of a scroll. */
  SCROLL(Phase.QUERY, 9),
  /** Fetch phase of up to 10 documents of a shard. */
  FETCH(Phase.FETCH, 10),
  /** Fetch phase of up to 100 documents of a shard. */
  FETCH_HUNDRED(Phase.FETCH, 11),
  /** Fetch phase of more documents of a shard. */
  FETCH_MANY(Phase.FETCH, 12),
  /** Reads one document. */
  GET(Phase.GET, 0),
  /** Reads up to 10 documents of a shard. */
  GET_TEN(Phase.GET, 1),
  /** Reads more documents of a shard. */
  GET_MANY(Phase.GET, 2),
  /** Writes one document. */
  WRITE(Phase.WRITE, 0),
  /** Writes up to 100 documents of a shard. */
  WRITE_HUNDRED(Phase.WRITE, 1),
  /** Writes more documents of a shard. */
  WRITE_MANY(Phase.WRITE, 2),
  /** Runs the ingest pipelines of documents and returns the documents. */
  PIPELINES(Phase.WRITE, 3);

  private final Phase phase;
  private final int costClass;

  NodeCallType(Phase phase, int costClass) {
    this.phase = phase;
    this.costClass = costClass;
  }

  /** Returns the most common type of a phase. */
  public static NodeCallType forPhase(Phase phase) {
    return switch (phase) {
      case CAN_MATCH -> CAN_MATCH;
      case QUERY -> HITS;
      case FETCH -> FETCH;
      case GET -> GET;
      case WRITE -> WRITE;
    };
  }

  /** Returns the type of a fetch of this many documents of a shard. */
  public static NodeCallType forFetch(int documents) {
    return documents <= 10 ? FETCH : documents <= 100 ? FETCH_HUNDRED : FETCH_MANY;
  }

  /** Returns the type of a read of this many documents of a shard. */
  public static NodeCallType forGet(int documents) {
    return documents <= 1 ? GET : documents <= 10 ? GET_TEN : GET_MANY;
  }

  /** Returns the type of a write of this many documents of a shard. */
  public static NodeCallType forWrite(int documents) {
    return documents <= 1 ? WRITE : documents <= 100 ? WRITE_HUNDRED : WRITE_MANY;
  }

  /** Returns the name for display. */
  public String label() {
    return DisplayFormat.toKebabCase(this);
  }

  /** Returns the type with this name; null for an unknown name. */
  public static @Nullable NodeCallType fromLabel(String label) {
    for (NodeCallType work : values()) {
      if (work.label().equals(label)) {
        return work;
      }
    }
    return null;
  }

  /** Returns the phase, by which timings are kept apart. */
  public Phase phase() {
    return phase;
  }

  /**
   * Returns the cost class within the phase, from 0 to 15. Queries and fetches, which share a
   * thread pool, have none in common.
   */
  public int costClass() {
    return costClass;
  }
}
