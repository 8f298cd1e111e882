package dev.weir.rest;

/**
 * How far one request in OpenSearch's REST layer has got.
 *
 * <pre>
 *   OPEN --respond--> RESPONDED --last byte sent--> ENDED
 *    | ^
 *    | |--running actions are cancelled
 *    | `---STOPPING <--a defect
 *    |
 *    `--pass through, cancel--> ENDED
 * </pre>
 *
 * A defect may also respond, or end the request, while it is stopped.
 */
enum RestExchangeState {
  /** The request has no response. */
  OPEN,
  /** A task failed by a defect; the running actions are cancelled, and their results ignored. */
  STOPPING,
  /** The response, or the beginning of it, was handed over. */
  RESPONDED,
  /** Nothing more is sent for this request. */
  ENDED;

  boolean canMoveTo(RestExchangeState next) {
    return switch (this) {
      case OPEN -> next != OPEN;
      case STOPPING -> next != STOPPING;
      case RESPONDED -> next == RESPONDED || next == ENDED; // again: the first can't be written
      case ENDED -> false;
    };
  }

  /** Returns whether a response would be ignored. */
  boolean isClosed() {
    return this != OPEN;
  }
}
