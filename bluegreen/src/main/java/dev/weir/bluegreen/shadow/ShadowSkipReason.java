package dev.weir.bluegreen.shadow;

/** Why a sampled read was not repeated or its responses not compared. */
enum ShadowSkipReason {
  /** No node of the other cluster is reachable. */
  UNREACHABLE,
  /** The gateway is busy with clients' requests. */
  OVERLOAD,
  /** The maximum of shadow reads is in flight. */
  IN_FLIGHT_LIMIT,
  /** The copies would exceed their memory bound. */
  MEMORY_LIMIT,
  /** The request body exceeds the bound of copies. */
  LARGE_BODY,
  /** The request's body is compressed, and was not decoded. */
  ENCODED_BODY,
  /** The gateway changed the body on its way to the node, so the client's body is unknown. */
  REWRITTEN_BODY,
  /** An index name of the request has no counterpart on the other cluster. */
  UNTRANSLATABLE,
  /** The request is bound to a cluster by an id in its body. */
  BOUND_TO_CLUSTER,
  /** The client's response only reports overload or a timeout, or its outcome is unknown. */
  REJECTED,
  /** The client disconnected. */
  CLIENT_DISCONNECTED,
  /** The queue of comparisons is full. */
  COMPARISON_QUEUE_FULL,
  /** The gateway stops. */
  SHUTTING_DOWN,
  /** An internal error. */
  INTERNAL_ERROR
}
