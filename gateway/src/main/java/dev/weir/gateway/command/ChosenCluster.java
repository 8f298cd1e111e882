package dev.weir.gateway.command;

import dev.weir.config.policy.GatewayPolicy;
import java.util.Map;

/**
 * The cluster of a configuration that a command or an admin page is for, and how requests to a
 * gateway name it.
 */
public final class ChosenCluster {
  private static final String SET_THE_HEADER = "set it to a name such as X-Weir-Cluster";

  private final String name;
  private final String header;

  private ChosenCluster(String name, String header) {
    this.name = name;
    this.header = header;
  }

  /**
   * Chooses a cluster.
   *
   * @param named its name; empty for the only one
   * @throws UsageException if the configuration has none of this name, or several and none is named
   */
  public static ChosenCluster of(GatewayPolicy policy, String named) throws UsageException {
    boolean isOnly = policy.clusters().size() == 1;
    if (!named.isEmpty() || !isOnly) {
      requireKnown(policy, named);
    }
    return isOnly
        ? new ChosenCluster("", "")
        : new ChosenCluster(named, policy.traffic().canaryHeader());
  }

  /** Requires that the configuration has a cluster of this name. */
  public static void requireKnown(GatewayPolicy policy, String name) throws UsageException {
    if (!policy.clusters().containsKey(name)) {
      throw new UsageException(
          (name.isEmpty() ? "got no cluster" : "got cluster " + name)
              + " (expected: one of "
              + String.join(", ", policy.clusters().keySet())
              + ")");
    }
  }

  /** Its name in requests to a gateway; empty if the gateway has no other cluster. */
  public String name() {
    return name;
  }

  /**
   * The header that sends a request through a gateway to this cluster; none if the gateway has no
   * other.
   *
   * @throws UsageException if the configuration has no such header
   */
  public Map<String, String> header() throws UsageException {
    return headerOr(SET_THE_HEADER);
  }

  /** As {@link #header()}; says what to do if the configuration has no such header. */
  public Map<String, String> headerOr(String remedy) throws UsageException {
    if (name.isEmpty()) {
      return Map.of();
    }
    if (header.isEmpty()) {
      throw new UsageException(
          "traffic.canary-header is not set, so requests can't name the cluster: " + remedy);
    }
    return Map.of(header, name);
  }
}
