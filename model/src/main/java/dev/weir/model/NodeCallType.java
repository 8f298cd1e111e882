package dev.weir.model;

import org.jspecify.annotations.Nullable;

/**
 * What a call asks of a node, as far as it can be told before it is sent: its phase, and within it
 * the class of requests that cost about the same. What the classes really cost is learned; here
 * they are only told apart.
 */
public enum NodeCallType {
  /** Asks whether a shard can match at all. */
  CAN_MATCH(Phase.CAN_MATCH, 0),
  /** Finds up to 100 best hits. */
  HITS(Phase.QUERY, 0),
  /** Counts, without hits or aggregations. */
  COUNT(Phase.QUERY, 1),
  /** Finds more hits, or collapses or rescores them. */
  MANY_HITS(Phase.QUERY, 2),
  /** Aggregates. */
  AGGREGATIONS(Phase.QUERY, 3),
  /** Runs scripts, or queries that look at many terms; suggests. */
  SCRIPTS(Phase.QUERY, 4),
  /** Finds up to 100 best hits of the only shard and fetches them. */
  QUERY_AND_FETCH(Phase.QUERY, 5),
  /** Finds more hits of the only shard and fetches them. */
  QUERY_AND_FETCH_MANY(Phase.QUERY, 6),
  /** Gathers statistics of terms. */
  TERM_STATISTICS(Phase.QUERY, 7),
  /** Opens a point in time. */
  OPEN_POINT_IN_TIME(Phase.QUERY, 8),
  /** Finds the next page of a scroll. */
  SCROLL(Phase.QUERY, 9),
  /** Fetches up to 10 documents of a shard. */
  FETCH(Phase.FETCH, 0),
  /** Fetches up to 100 documents of a shard. */
  FETCH_HUNDRED(Phase.FETCH, 1),
  /** Fetches more documents of a shard. */
  FETCH_MANY(Phase.FETCH, 2),
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
  WRITE_MANY(Phase.WRITE, 2);

  private final Phase phase;
  private final int costClass;

  NodeCallType(Phase phase, int costClass) {
    this.phase = phase;
    this.costClass = costClass;
  }

  /** The usual work of a phase. */
  public static NodeCallType forPhase(Phase phase) {
    return switch (phase) {
      case CAN_MATCH -> CAN_MATCH;
      case QUERY -> HITS;
      case FETCH -> FETCH;
      case GET -> GET;
      case WRITE -> WRITE;
    };
  }

  /** Fetching so many documents of a shard. */
  public static NodeCallType forFetch(int documents) {
    return documents <= 10 ? FETCH : documents <= 100 ? FETCH_HUNDRED : FETCH_MANY;
  }

  /** Reading so many documents of a shard. */
  public static NodeCallType forGet(int documents) {
    return documents <= 1 ? GET : documents <= 10 ? GET_TEN : GET_MANY;
  }

  /** Writing so many documents of a shard. */
  public static NodeCallType forWrite(int documents) {
    return documents <= 1 ? WRITE : documents <= 100 ? WRITE_HUNDRED : WRITE_MANY;
  }

  /** Its name for people. */
  public String label() {
    return DisplayFormat.toKebabCase(this);
  }

  /** The work of that name; null for none. */
  public static @Nullable NodeCallType fromLabel(String label) {
    for (NodeCallType work : values()) {
      if (work.label().equals(label)) {
        return work;
      }
    }
    return null;
  }

  /** Whose timings it belongs to. */
  public Phase phase() {
    return phase;
  }

  /** Its class within the phase, from 0. */
  public int costClass() {
    return costClass;
  }
}
