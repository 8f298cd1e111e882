package dev.weir.core.actions.authorization;

import dev.weir.model.ClientIdentity;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.HttpExchange;

/** An exchange with the user that a node has authenticated. Confined to its event loop. */
final class AuthenticatedExchange extends ForwardingExchange {
  private final ClientIdentity identity;

  AuthenticatedExchange(HttpExchange exchange, ClientIdentity identity) {
    super(exchange);
    this.identity = identity;
  }

  @Override
  public ClientIdentity identity() {
    return identity;
  }
}
