package dev.weir.gateway.network;

import dev.weir.config.policy.HostPort;
import dev.weir.config.policy.HttpPolicy;
import dev.weir.config.policy.SniffingPolicy;
import dev.weir.model.HttpExchange;
import dev.weir.rest.GatewayAddressProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that clients find by sniffing: those of the policy, or the one that the client used
 * for its request. Safe on any thread.
 *
 * @param configured the addresses in the policy; empty to return the client's own one
 * @param standardPort the port of a client that states none
 */
public record AdvertisedGateways(List<InetSocketAddress> configured, int standardPort)
    implements GatewayAddressProvider {

  /** A host name, an IPv4 address or an IPv6 address in brackets, and an optional port. */
  private static final Pattern HOST =
      Pattern.compile("(?:\\[([0-9a-fA-F:.]{2,45})]|([\\w.-]{1,253}))(?::(\\d{1,5}))?");

  /**
   * The provider that a policy describes; null when clients are to find the nodes.
   *
   * @throws IOException when a name in the policy does not resolve
   */
  public static @Nullable GatewayAddressProvider create(HttpPolicy policy) throws IOException {
    if (policy.sniffing().advertise() == SniffingPolicy.AdvertisedAddresses.NODES) {
      return null;
    }
    List<InetSocketAddress> resolved = new ArrayList<>();
    for (HostPort gateway : policy.sniffing().gatewayAddresses()) {
      InetSocketAddress address = new InetSocketAddress(gateway.host(), gateway.port());
      if (address.isUnresolved()) {
        throw new IOException(
            "http.sniffing.gateway-addresses: got "
                + gateway
                + ", which does not resolve (expected: an address or a name that resolves)");
      }
      resolved.add(address);
    }
    return new AdvertisedGateways(List.copyOf(resolved), policy.tls().enabled() ? 443 : 80);
  }

  @Override
  public List<InetSocketAddress> addressesFor(HttpExchange exchange) {
    return configured.isEmpty() ? List.of(localAddress(exchange)) : configured;
  }

  private InetSocketAddress localAddress(HttpExchange exchange) {
    InetSocketAddress local = (InetSocketAddress) exchange.localAddress();
    for (Map.Entry<String, String> header : exchange.headers()) {
      if (header.getKey().equalsIgnoreCase("host")) {
        return parseHost(header.getValue(), local);
      }
    }
    return local;
  }

  private InetSocketAddress parseHost(String host, InetSocketAddress local) {
    Matcher matcher = HOST.matcher(host);
    if (!matcher.matches()) {
      return local;
    }
    int port = matcher.group(3) == null ? standardPort : Integer.parseInt(matcher.group(3));
    if (port < 1 || port > 65535) {
      return local;
    }
    String address = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
    try {
      return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    } catch (IllegalArgumentException name) {
      try {
        // No DNS lookup: the client resolves the name.
        byte[] localBytes = local.getAddress().getAddress();
        return new InetSocketAddress(InetAddress.getByAddress(address, localBytes), port);
      } catch (UnknownHostException impossible) {
        return local;
      }
    }
  }
}
