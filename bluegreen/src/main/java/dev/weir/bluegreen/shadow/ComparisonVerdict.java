package dev.weir.bluegreen.shadow;

import java.util.List;

/** What a comparison of two clusters' answers came to. */
sealed interface ComparisonVerdict {
  /** What can differ. */
  enum Kind {
    /** The HTTP status. */
    STATUS,
    /** The type of an error. */
    ERROR,
    /** How many documents match. */
    TOTAL,
    /** Which documents are hits, or their order. */
    HITS,
    /** The source or the fields of a document. */
    SOURCE,
    /** Aggregations, beyond the tolerance. */
    AGGREGATIONS,
    /** Whether a document exists. */
    FOUND,
    /** A count. */
    COUNT,
    /** How many answers there are in one. */
    ITEMS
  }

  /** Why answers can't be compared. */
  enum Reason {
    /** A node had the request, of one cluster or the other. */
    PASSED_THROUGH,
    /** The answer is longer than what is kept. */
    LONG_RESPONSE,
    /** The answers are not JSON. */
    UNSUPPORTED_FORMAT,
    /** An answer can't be read. */
    MALFORMED_RESPONSE,
    /** A search ended early by its own timeout. */
    TIMED_OUT,
    /** A search ended after as many documents as it said. */
    TERMINATED_EARLY,
    /** Shards failed. */
    FAILED_SHARDS,
    /** The other cluster, or the gateway for it, had no room or no time. */
    REJECTED,
    /** An answer lacks something, or is none, as nodes of its cluster can't be reached. */
    UNREACHABLE_NODES,
    /** The other cluster's answer did not come in time. */
    NO_RESPONSE_IN_TIME,
    /** A defect. */
    INTERNAL_ERROR
  }

  /**
   * One thing that differs.
   *
   * @param path where in the answer
   * @param primary what the client got there, for people
   * @param shadow what the other cluster has there, for people
   */
  record Difference(Kind kind, String path, String primary, String shadow) {}

  /** Nothing differs. */
  record Same() implements ComparisonVerdict {}

  /** What differs is within the tolerances. */
  record Similar() implements ComparisonVerdict {}

  /**
   * They differ.
   *
   * @param differences the first one of each kind
   */
  record Different(List<Difference> differences) implements ComparisonVerdict {}

  /** Nothing can be said. */
  record NotComparable(Reason reason) implements ComparisonVerdict {}

  /** As people and metrics read it. */
  default String label() {
    return switch (this) {
      case Same _ -> "same";
      case Similar _ -> "similar";
      case Different _ -> "different";
      case NotComparable _ -> "not-comparable";
    };
  }
}
