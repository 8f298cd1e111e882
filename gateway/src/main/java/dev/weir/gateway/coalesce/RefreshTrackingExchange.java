package dev.weir.gateway.coalesce;

import dev.weir.model.BufferedResponse;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;

/** A write whose answer says that its documents can be found. */
final class RefreshTrackingExchange extends ForwardingExchange {
  private final Runnable onRefresh;

  /**
   * Makes it.
   *
   * @param refreshed runs before the client can hear of it
   */
  RefreshTrackingExchange(HttpExchange exchange, Runnable refreshed) {
    super(exchange);
    this.onRefresh = refreshed;
  }

  @Override
  public void respond(BufferedResponse reply) {
    onRefresh.run();
    super.respond(reply);
  }
}
