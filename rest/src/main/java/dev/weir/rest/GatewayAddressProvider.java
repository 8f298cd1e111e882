package dev.weir.rest;

import dev.weir.model.HttpExchange;
import java.net.InetSocketAddress;
import java.util.List;

/** Which gateways a client finds that asks for the nodes' REST addresses. Safe on any thread. */
@FunctionalInterface
public interface GatewayAddressProvider {
  /**
   * The gateways' REST addresses, at least one; resolved, with the host name that clients use where
   * they use one.
   *
   * @param exchange the client's request
   */
  List<InetSocketAddress> addressesFor(HttpExchange exchange);
}
