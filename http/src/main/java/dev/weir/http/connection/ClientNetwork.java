package dev.weir.http.connection;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The address that shares are counted for: a whole IPv4 address, or the first 64 bits of an IPv6
 * address, because one client may use all addresses with this prefix.
 *
 * @param bits of the address; 0 for an address that is unknown
 */
public record ClientNetwork(boolean ipv6, long bits) {
  private static final ClientNetwork UNKNOWN = new ClientNetwork(false, 0);

  /** Returns an address as text. */
  static String textOf(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? NetUtil.toSocketAddressString(inet)
        : String.valueOf(address);
  }

  /** Returns the network of a connection's remote address. */
  public static ClientNetwork of(@Nullable SocketAddress address) {
    InetAddress ip = address instanceof InetSocketAddress inet ? inet.getAddress() : null;
    if (ip == null) {
      return UNKNOWN;
    }
    ByteBuffer bytes = ByteBuffer.wrap(ip.getAddress());
    return ip instanceof Inet6Address
        ? new ClientNetwork(true, bytes.getLong())
        : new ClientNetwork(false, Integer.toUnsignedLong(bytes.getInt()));
  }
}
