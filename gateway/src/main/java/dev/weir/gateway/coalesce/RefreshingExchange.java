package dev.weir.gateway.coalesce;

import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;
import dev.weir.model.HttpReply;

/** A write whose answer says that its documents can be found. */
final class RefreshingExchange extends ForwardingExchange {
  private final Runnable refreshed;

  /**
   * Makes it.
   *
   * @param refreshed runs before the client can hear of it
   */
  RefreshingExchange(HttpExchange exchange, Runnable refreshed) {
    super(exchange);
    this.refreshed = refreshed;
  }

  @Override
  public void respond(HttpReply reply) {
    refreshed.run();
    super.respond(reply);
  }
}
