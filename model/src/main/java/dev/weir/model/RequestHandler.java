package dev.weir.model;

/**
 * Handles a request that {@link RequestRouter} chose to coordinate. Called on the exchange's home.
 */
@FunctionalInterface
public interface RequestHandler {
  /** Takes the exchange over; answers it now or later, exactly once. Throws only on a bug. */
  void handle(HttpExchange exchange);
}
