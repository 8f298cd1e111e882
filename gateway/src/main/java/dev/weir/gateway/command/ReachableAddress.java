package dev.weir.gateway.command;

import dev.weir.config.policy.HostPort;
import java.net.InetSocketAddress;
import java.net.URI;

/** Where this machine reaches a port of the gateway: for commands and pages that call it. */
public final class ReachableAddress {
  private static final String THIS_MACHINE = "localhost";

  private ReachableAddress() {}

  /**
   * Returns the address of a configured port.
   *
   * @param option the option of the command line that names another address
   * @throws UsageException if the gateway takes any free port
   */
  public static URI of(HostPort listen, boolean tls, String option) throws UsageException {
    if (listen.port() == 0) {
      throw new UsageException("the configuration says any free port: give " + option + " URL");
    }
    boolean anywhere = listen.host().equals("0.0.0.0") || listen.host().equals("::");
    HostPort reached = anywhere ? new HostPort(THIS_MACHINE, listen.port()) : listen;
    return URI.create((tls ? "https://" : "http://") + reached);
  }

  /** Returns the host and port of a port that is open. */
  public static HostPort of(InetSocketAddress bound) {
    return new HostPort(
        bound.getAddress().isAnyLocalAddress() ? THIS_MACHINE : bound.getAddress().getHostAddress(),
        bound.getPort());
  }
}
