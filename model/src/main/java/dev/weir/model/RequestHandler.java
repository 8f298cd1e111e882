package dev.weir.model;

/**
 * Handles a request that {@link RequestRouter} decided to coordinate. Called on the exchange's
 * event loop.
 */
@FunctionalInterface
public interface RequestHandler {
  /** Takes over the exchange and ends it now or later, exactly once. Throws only on a bug. */
  void handle(HttpExchange exchange);
}
