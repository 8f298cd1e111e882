package dev.weir.rest;

import dev.weir.model.HttpExchange;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Provides the gateway addresses for clients that sniff the nodes' REST addresses. Safe on any
 * thread.
 */
@FunctionalInterface
public interface GatewayAddressProvider {
  /**
   * Returns at least one REST address of a gateway. Addresses are resolved; they contain the host
   * name if clients use one.
   *
   * @param exchange the client's request
   */
  List<InetSocketAddress> addressesFor(HttpExchange exchange);
}
