package dev.weir.http.body;

/**
 * How far a {@link StreamedBody} has got.
 *
 * <pre>
 *   RECEIVING --last piece--> RECEIVED --last section read--> CLOSED
 *       |                        |
 *       |--response, failure, or passed through---------------^
 *       `--client disconnected---`--> DISCONNECTED
 * </pre>
 */
enum StreamedBodyState {
  /** The client has more of the body to send. */
  RECEIVING,
  /** All of the body has arrived, and the reader has not had all of it. */
  RECEIVED,
  /** The reader needs or gets no more. */
  CLOSED,
  /** The client disconnected before the reader had all of the body. */
  DISCONNECTED;

  boolean isClosed() {
    return this == CLOSED || this == DISCONNECTED;
  }
}
