package dev.weir.bluegreen.shadow;

/** Why a read that was chosen was not repeated, or its answers not compared. */
enum ShadowSkipReason {
  /** No node of the other cluster can be reached. */
  UNREACHABLE,
  /** The gateway has enough to do for clients. */
  OVERLOAD,
  /** As many repeated reads are under way as may be. */
  IN_FLIGHT_LIMIT,
  /** The copies would take more memory than there is for them. */
  MEMORY_LIMIT,
  /** The request's body is longer than what is kept. */
  LARGE_BODY,
  /** The request's body is compressed, and was not decoded. */
  ENCODED_BODY,
  /** The body of a request was changed on its way to a node: what its client said is not known. */
  REWRITTEN_BODY,
  /** What the request names can't be said in the names of the other cluster's indices. */
  UNTRANSLATABLE,
  /** The request is bound to a cluster by an id in its body. */
  BOUND_TO_CLUSTER,
  /** The client was told that there is no room or no time, or was not known. */
  REJECTED,
  /** The client went away. */
  CLIENT_DISCONNECTED,
  /** Enough answers wait to be compared. */
  COMPARISON_QUEUE_FULL,
  /** The gateway stops. */
  SHUTTING_DOWN,
  /** A defect. */
  INTERNAL_ERROR
}
