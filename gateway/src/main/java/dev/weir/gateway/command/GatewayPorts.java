package dev.weir.gateway.command;

import dev.weir.client.AuthorizationHeader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.config.policy.GatewayPolicy;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The ports that a command calls: those that its command line names, or else those of the
 * configuration. Closed at the end of the command.
 */
public final class GatewayPorts implements AutoCloseable {
  private final GatewayPolicy policy;
  private final RestConnections connections;

  private GatewayPorts(GatewayPolicy policy, RestConnections connections) {
    this.policy = policy;
    this.connections = connections;
  }

  /**
   * Opens no connection yet.
   *
   * @param caFile a PEM file with the authorities to trust; null for those of the JDK
   * @throws UsageException if the file can't be read or has no certificates
   */
  public static GatewayPorts trusting(GatewayPolicy policy, @Nullable Path caFile)
      throws UsageException {
    try {
      return new GatewayPorts(policy, RestConnections.trusting(caFile));
    } catch (IOException e) {
      throw caFile == null
          ? new UsageException(e)
          : FileProblems.unreadable("--ca-file", caFile, e);
    } catch (CertificateException e) {
      throw new UsageException("--ca-file: " + e.getMessage());
    }
  }

  /**
   * The ports for clients' requests.
   *
   * @param option the option of the command line that names them
   * @param named what it names; empty for {@code http.listen}
   * @param headers of each request
   */
  public List<RestTarget> clientPorts(String option, List<URI> named, Map<String, String> headers)
      throws UsageException {
    return targets(
        named.isEmpty()
            ? List.of(
                ReachableAddress.of(policy.http().listen(), policy.http().tls().enabled(), option))
            : named,
        headers);
  }

  /**
   * The admin ports, with the token of the configuration.
   *
   * @param named what the option {@code --admin} names; empty for {@code admin.listen}
   */
  public List<RestTarget> adminPorts(List<URI> named) throws UsageException {
    return targets(
        named.isEmpty()
            ? List.of(
                ReachableAddress.of(
                    policy.admin().listen(), policy.admin().tls().enabled(), "--admin"))
            : named,
        AuthorizationHeader.bearer(policy.admin().token()));
  }

  private List<RestTarget> targets(List<URI> addresses, Map<String, String> headers)
      throws UsageException {
    List<RestTarget> targets = new ArrayList<>(addresses.size());
    try {
      addresses.forEach(address -> targets.add(new RestTarget(connections, address, headers)));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e);
    }
    return targets;
  }

  @Override
  public void close() {
    connections.close();
  }
}
