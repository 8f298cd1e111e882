package dev.weir.gateway.admin;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.Locale;

/**
 * Which hosts a request on the admin port may address. A web site can let its own name resolve to
 * the gateway (DNS rebinding); the browser of an operator would then let its scripts read the
 * gateway's pages. No web site can do so with an address, or with a name of this machine.
 */
final class HostNames {
  /** Looked up once: a lookup may wait for a name server, and requests arrive on an event loop. */
  private static final String MACHINE_NAME = findMachineName();

  private HostNames() {}

  /**
   * Returns whether a request with this header may be served.
   *
   * @param header the value of {@code Host}, maybe with a port; empty without one, which no browser
   *     sends
   * @param configured further names
   */
  static boolean isAllowed(String header, Collection<String> configured) {
    String name = withoutPort(header).toLowerCase(Locale.ROOT);
    return name.isEmpty()
        || name.equals("localhost")
        || name.endsWith(".localhost")
        || NetUtil.isValidIpV4Address(name)
        || NetUtil.isValidIpV6Address(name)
        || configured.stream().anyMatch(name::equalsIgnoreCase)
        || isMachineName(name);
  }

  private static String withoutPort(String header) {
    String host = header.strip();
    if (host.startsWith("[")) {
      int end = host.indexOf(']');
      return end < 0 ? host : host.substring(1, end);
    }
    int colon = host.indexOf(':');
    return colon < 0 ? host : host.substring(0, colon);
  }

  private static boolean isMachineName(String name) {
    int dot = MACHINE_NAME.indexOf('.');
    return name.equals(MACHINE_NAME) || (dot > 0 && name.equals(MACHINE_NAME.substring(0, dot)));
  }

  private static String findMachineName() {
    try {
      return InetAddress.getLocalHost().getHostName().toLowerCase(Locale.ROOT);
    } catch (UnknownHostException nameless) {
      return "localhost";
    }
  }
}
