package dev.weir.cluster;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The configured addresses of a cluster's first known nodes: {@code host:port} each; a host name
 * stands for all of its addresses. Names are resolved on each use.
 *
 * @param hosts as configured, such as {@code 10.0.0.1:9300}, {@code [::1]:9300} or {@code
 *     search.example:9300}; the default port is 9300
 */
public record SeedHosts(List<String> hosts) {
  private static final int DEFAULT_PORT = 9300;
  private static final int MAX_PORT = 65_535;

  /** Validates the hosts. */
  public SeedHosts {
    hosts = List.copyOf(hosts);
    if (hosts.isEmpty()) {
      throw new IllegalArgumentException(
          "seeds empty: got none (expected: at least one host:port)");
    }
    hosts.forEach(SeedHosts::parse);
  }

  /**
   * The result of a name resolution.
   *
   * @param addresses all addresses of all names
   * @param unresolved names without an address
   */
  record Resolved(List<InetSocketAddress> addresses, List<String> unresolved) {}

  /** Resolves all names; may block. */
  Resolved resolve() {
    Set<InetSocketAddress> addresses = new LinkedHashSet<>();
    List<String> unresolved = new ArrayList<>();
    for (String seed : hosts) {
      InetSocketAddress named = parse(seed);
      try {
        for (InetAddress address : InetAddress.getAllByName(named.getHostString())) {
          addresses.add(new InetSocketAddress(address, named.getPort()));
        }
      } catch (UnknownHostException unknown) {
        unresolved.add(seed);
      }
    }
    return new Resolved(List.copyOf(addresses), unresolved);
  }

  private static InetSocketAddress parse(String seed) {
    int bracket = seed.indexOf(']');
    int colon = seed.lastIndexOf(':');
    boolean bareIpv6 = bracket < 0 && seed.indexOf(':') != colon;
    boolean hasPort = colon > bracket && !bareIpv6;
    String host = hasPort ? seed.substring(0, colon) : seed;
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    int port = hasPort ? port(seed, seed.substring(colon + 1)) : DEFAULT_PORT;
    if (host.isBlank()) {
      throw new IllegalArgumentException("seed malformed: got " + seed + " (expected: host:port)");
    }
    return InetSocketAddress.createUnresolved(host, port);
  }

  private static int port(String seed, String digits) {
    try {
      int port = Integer.parseInt(digits);
      if (port > 0 && port <= MAX_PORT) {
        return port;
      }
    } catch (NumberFormatException notANumber) {
      // reported below
    }
    throw new IllegalArgumentException(
        "seed malformed: got " + seed + " (expected: host:port, a port from 1 to 65535)");
  }
}
