package dev.weir.http.proxy;

/**
 * How far one connection to a node's REST port has got.
 *
 * <pre>
 *   CONNECTING --TCP and TLS are ready--> IN_USE <--next request-- IDLE
 *                                          |  |                    ^  ^
 *                                          |  `---response read----'  |
 *                                          `--request left--> DISCARDING
 *   any state but CLOSED --close()--> CLOSING --channel inactive--> CLOSED
 *   any state --channel inactive, connect failed--> CLOSED
 * </pre>
 */
enum RestConnectionState {
  /** TCP or TLS is not ready; the first request waits for it. */
  CONNECTING,
  /** One request writes to the connection, and reads its response. */
  IN_USE,
  /** The request has left; the rest of its response is dropped. */
  DISCARDING,
  /** The connection waits for a request. */
  IDLE,
  /** The connection is not needed, or broken; its channel closes. */
  CLOSING,
  /** The channel is closed. Entered exactly once. */
  CLOSED;

  boolean canMoveTo(RestConnectionState next) {
    return switch (this) {
      case CONNECTING -> next == IN_USE || next == IDLE || next.isEnd();
      case IN_USE -> next == DISCARDING || next == IDLE || next.isEnd();
      case DISCARDING -> next == IDLE || next.isEnd();
      case IDLE -> next == IN_USE || next.isEnd();
      case CLOSING -> next == CLOSED;
      case CLOSED -> false;
    };
  }

  /** Returns whether the connection serves no further request. */
  boolean isEnd() {
    return this == CLOSING || this == CLOSED;
  }
}
