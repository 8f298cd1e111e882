package dev.weir.bluegreen.shadow;

import java.util.List;

/** The verdict of a comparison of two responses. */
sealed interface ComparisonVerdict {
  /** The kinds of differences. */
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
    /** The number of responses in a multi-response. */
    ITEMS
  }

  /** Why responses are not comparable. */
  enum Reason {
    /** A node answered on only one of the clusters. */
    PASSED_THROUGH,
    /** The response exceeds the bound of copies. */
    LONG_RESPONSE,
    /** The responses are not JSON. */
    UNSUPPORTED_FORMAT,
    /** A response can't be parsed. */
    MALFORMED_RESPONSE,
    /** A search ended early by its timeout. */
    TIMED_OUT,
    /** A search ended early by its {@code terminate_after}. */
    TERMINATED_EARLY,
    /** Shards failed. */
    FAILED_SHARDS,
    /** The other cluster, or the gateway for it, was overloaded or timed out. */
    REJECTED,
    /** A response is incomplete or missing because nodes of its cluster are unreachable. */
    UNREACHABLE_NODES,
    /** The other cluster did not respond in time. */
    NO_RESPONSE_IN_TIME,
    /** An internal error. */
    INTERNAL_ERROR
  }

  /**
   * One difference.
   *
   * @param path within the response
   * @param primary the client's value, for people
   * @param shadow the other cluster's value, for people
   */
  record Difference(Kind kind, String path, String primary, String shadow) {}

  /** Nothing differs. */
  record Same() implements ComparisonVerdict {}

  /** All differences are within the tolerances. */
  record Similar() implements ComparisonVerdict {}

  /**
   * The responses differ.
   *
   * @param differences the first of each kind
   */
  record Different(List<Difference> differences) implements ComparisonVerdict {}

  /** The responses are not comparable. */
  record NotComparable(Reason reason) implements ComparisonVerdict {}

  /** The name in metrics and on pages. */
  default String label() {
    return switch (this) {
      case Same _ -> "same";
      case Similar _ -> "similar";
      case Different _ -> "different";
      case NotComparable _ -> "not-comparable";
    };
  }
}
