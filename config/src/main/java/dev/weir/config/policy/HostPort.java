package dev.weir.config.policy;

/**
 * A host name or address with a port.
 *
 * @param host the name or address; an IPv6 address without brackets
 * @param port 0 to 65535; 0 means any free port where something listens
 */
public record HostPort(String host, int port) {
  /**
   * Returns the address in YAML's notation, such as {@code 127.0.0.1:9200} or {@code [::1]:9200}.
   */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
