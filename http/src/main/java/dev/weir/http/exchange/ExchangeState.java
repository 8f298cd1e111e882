package dev.weir.http.exchange;

/**
 * How far one client exchange has got. What the states carry (the body's sink, the response's
 * writer) lies in the {@link ClientExchange}, so that a move allocates nothing.
 *
 * <pre>
 *   RECEIVING --pass through--> PROXYING --node's headers--> RELAYING
 *       |  ^                    |  ^   |                     |    |
 *       |  `--another cluster,--'  |   |                     |    |
 *       |     without a body       `---|--node lost early----'    |
 *       |                              |                          |
 *       `--response ready--> RESPONDING <--error                  |
 *                                |                                |
 *   any state --disconnect--> ENDED <--------last byte------------'
 * </pre>
 */
enum ExchangeState {
  /** The request is taken in, buffered or handled; there is no response. */
  RECEIVING,
  /** The request is on its way to a node; none of the node's response has arrived. */
  PROXYING,
  /** The node's response is on its way to the client. */
  RELAYING,
  /** The gateway's own response is on its way to the client. */
  RESPONDING,
  /** The last byte has left, or the client gets no more. Entered exactly once. */
  ENDED;

  boolean canMoveTo(ExchangeState next) {
    return switch (this) {
      case RECEIVING -> next == PROXYING || next == RESPONDING || next == ENDED;
      case PROXYING -> true;
      case RELAYING -> next == PROXYING || next == ENDED;
      case RESPONDING -> next == ENDED;
      case ENDED -> false;
    };
  }

  /** Whether there is a response, or none is needed any more. */
  boolean hasResponse() {
    return this == RELAYING || this == RESPONDING || this == ENDED;
  }
}
