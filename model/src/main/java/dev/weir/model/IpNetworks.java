package dev.weir.model;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A list of IP networks, such as {@code 10.1.0.0/16} and {@code fd00::/8}. Immutable. */
public final class IpNetworks {
  /** Contains no address. */
  public static final IpNetworks NONE = new IpNetworks(List.of());

  private final List<Network> networks;

  private static final class Network {
    private final byte[] prefix;
    private final int bits;

    Network(byte[] prefix, int bits) {
      this.prefix = prefix;
      this.bits = bits;
    }
  }

  private IpNetworks(List<Network> networks) {
    this.networks = networks;
  }

  /**
   * Reads networks.
   *
   * @param texts in CIDR notation; an address without a number of bits stands for itself
   * @throws IllegalArgumentException for another notation
   */
  public static IpNetworks of(List<String> texts) {
    return new IpNetworks(texts.stream().map(IpNetworks::parse).toList());
  }

  private static Network parse(String text) {
    int slash = text.indexOf('/');
    byte[] prefix = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash)).getAddress();
    int all = prefix.length * Byte.SIZE;
    int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
    if (bits < 0 || bits > all) {
      throw new IllegalArgumentException(
          "got " + text + " (expected: a network, such as 10.1.0.0/16)");
    }
    return new Network(prefix, bits);
  }

  /** Returns whether one of the networks contains an address; false for an unknown address. */
  public boolean contains(@Nullable InetAddress address) {
    if (address == null || networks.isEmpty()) {
      return false;
    }
    byte[] bytes = address.getAddress();
    for (Network network : networks) {
      if (hasPrefix(bytes, network.prefix, network.bits)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether two addresses of one version agree in their first bits. */
  public static boolean hasPrefix(byte[] address, byte[] prefix, int bits) {
    if (address.length != prefix.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> (bit % Byte.SIZE);
      if ((address[bit / Byte.SIZE] & mask) != (prefix[bit / Byte.SIZE] & mask)) {
        return false;
      }
    }
    return true;
  }
}
