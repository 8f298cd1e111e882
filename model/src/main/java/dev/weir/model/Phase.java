package dev.weir.model;

/** The phases of work on a data node. Timings are kept apart by phase. */
public enum Phase {
  /** Can-match. It takes no thread of a pool. */
  CAN_MATCH,
  /** The query phase of a search, also with a fetch in the same round trip; the DFS phase too. */
  QUERY,
  /** The fetch phase of a search. */
  FETCH,
  /** Reads of single documents: get and multi-get. */
  GET,
  /** Shard bulks, single writes and updates. */
  WRITE
}
