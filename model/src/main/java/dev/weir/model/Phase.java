package dev.weir.model;

/** The kinds of work on a data node whose timings are kept apart. */
public enum Phase {
  /** Asking shards whether they can match at all: takes no thread of a pool. */
  CAN_MATCH,
  /** The query phase of a search, also one that fetches in the same round trip; DFS too. */
  QUERY,
  /** The fetch phase of a search. */
  FETCH,
  /** Reads of single documents: get, mget. */
  GET,
  /** Shard-level bulks, single writes and updates. */
  WRITE
}
