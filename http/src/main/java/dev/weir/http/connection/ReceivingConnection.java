package dev.weir.http.connection;

import io.netty.handler.codec.http.HttpRequest;

/** What a {@link RequestReceiver} needs of its connection or stream. Called on its event loop. */
interface ReceivingConnection {
  /**
   * Creates the exchange of a request, whose header it filters first; the exchange has not started.
   *
   * @param startedNanos when the request's first byte arrived, by {@link #nanoTime()}
   */
  ConnectionExchange newExchange(HttpRequest request, long startedNanos);

  /** Closes after the response to a request that has one while the rest of it can't be decoded. */
  void endAfterBrokenBody(ConnectionExchange exchange);

  /** Returns how many requests are received before a response to one of them. */
  int maxRequests();

  ConnectionTimeouts timeouts();

  /** Returns the time by the server's clock, in nanoseconds. */
  long nanoTime();
}
