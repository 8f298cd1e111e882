package dev.weir.admission.head;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A client's address as a name: of IPv6 the first 64 bits, as one client may have all addresses
 * that begin with them.
 */
public final class ClientAddress {
  private ClientAddress() {}

  /** The name; null where the address has none. */
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
