package dev.weir.http.connection;

import io.netty.handler.codec.http.HttpRequest;

/** Creates the exchange of each request that a connection decodes. Called on event loops. */
public interface ExchangeFactory {
  /**
   * Creates an exchange that has not started.
   *
   * @param startedNanos when the request's first byte arrived, by the server's clock
   */
  ConnectionExchange newExchange(
      ClientConnection connection, HttpRequest request, long startedNanos);
}
