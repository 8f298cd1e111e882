package dev.weir.http.proxy;

/** The states of a {@link ProxiedRequest}. */
enum ProxiedRequestState {
  /** No node is chosen. */
  SELECTING,
  /** Its node is chosen, and all connections to it that the request may use are busy. */
  WAITING,
  /** A connection to its node is being opened. */
  CONNECTING,
  /** The request is on a connection; no final response head has arrived. */
  SENDING,
  /** The response arrives; the connection may serve another request afterwards. */
  RECEIVING,
  /** The response arrives; the node closes the connection afterwards. */
  RECEIVING_LAST,
  ENDED;

  boolean isReceiving() {
    return this == RECEIVING || this == RECEIVING_LAST;
  }

  private boolean isWithoutConnection() {
    return this == SELECTING || this == WAITING || this == CONNECTING;
  }

  /** What a failure leaves: only a request that had no effect is sent to another node. */
  ProxyFailure.Effect effect() {
    return isWithoutConnection() ? ProxyFailure.Effect.NONE : ProxyFailure.Effect.UNCERTAIN;
  }

  /** What a request has learned of its node that ends now. */
  NodeContact contact() {
    return isWithoutConnection() ? NodeContact.UNKNOWN : NodeContact.MADE;
  }
}
