package dev.weir.admission.head;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Names a client by its address: by the whole IPv4 address, or by the first 64 bits of an IPv6
 * address, because one client may use all addresses with this prefix.
 */
public final class ClientAddress {
  private ClientAddress() {}

  /** Returns the name; null for an unresolved or unknown kind of address. */
  public static @Nullable String of(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return null;
    }
    InetAddress ip = inet.getAddress();
    if (ip == null) {
      return null;
    }
    return ip instanceof Inet6Address ? network(ip.getAddress()) : ip.getHostAddress();
  }

  private static String network(byte[] address) {
    HexFormat hex = HexFormat.of();
    StringBuilder name = new StringBuilder(24);
    for (int i = 0; i < 8; i += 2) {
      name.append(hex.formatHex(address, i, i + 2)).append(':');
    }
    return name.append(":/64").toString();
  }
}
