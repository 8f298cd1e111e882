package dev.weir.cluster;

import dev.weir.model.IpNetworks;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Decides whether the gateway sends clients' requests, with their credentials, to the REST address
 * that a node reports. A node could report any address: that of another service in the gateway's
 * network, of the gateway's own machine, or of a cloud's metadata service. An address is trusted if
 * it is on the host of the node's transport address, in the same network (the first 24 bits of
 * IPv4, 64 of IPv6), or in a configured network. Immutable.
 */
public final class RestAddressFilter {
  /** Trusts hosts of the transport addresses and their networks. */
  public static final RestAddressFilter OWN_NETWORK = new RestAddressFilter(IpNetworks.NONE);

  private static final int IPV4_NETWORK_BITS = 24;
  private static final int IPV6_NETWORK_BITS = 64;
  private static final int IPV4_BYTES = 4;

  private final IpNetworks allowed;

  private RestAddressFilter(IpNetworks allowed) {
    this.allowed = allowed;
  }

  /**
   * Trusts further networks.
   *
   * @param networks in CIDR notation, such as {@code 10.1.0.0/16}
   * @throws IllegalArgumentException for another notation
   */
  public static RestAddressFilter allowing(List<String> networks) {
    return new RestAddressFilter(IpNetworks.of(networks));
  }

  /**
   * Returns whether requests may be sent to an address.
   *
   * @param transport the transport address of the node
   * @param rest the REST address that it reports
   */
  boolean isTrusted(InetSocketAddress transport, InetSocketAddress rest) {
    InetAddress node = transport.getAddress();
    InetAddress reported = rest.getAddress();
    if (node == null || reported == null) {
      return transport.getHostString().equals(rest.getHostString());
    }
    if (node.equals(reported) || (node.isLoopbackAddress() && reported.isLoopbackAddress())) {
      return true;
    }
    if (allowed.contains(reported)) {
      return true;
    }
    return !isSpecial(reported) && isSameNetwork(node.getAddress(), reported.getAddress());
  }

  /** No other host of a cluster has such an address. */
  private static boolean isSpecial(InetAddress address) {
    return address.isLoopbackAddress()
        || address.isLinkLocalAddress()
        || address.isAnyLocalAddress()
        || address.isMulticastAddress();
  }

  private static boolean isSameNetwork(byte[] one, byte[] other) {
    return IpNetworks.hasPrefix(
        one, other, one.length == IPV4_BYTES ? IPV4_NETWORK_BITS : IPV6_NETWORK_BITS);
  }
}
