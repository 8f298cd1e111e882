package dev.weir.gateway.operate;

import dev.weir.client.AuthorizationHeader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.gateway.command.ReachableAddress;
import dev.weir.operate.ClusterApi;
import dev.weir.operate.GatewayAdmin;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that say which gateways and which cluster a command talks to. */
final class EndpointOptions {
  private static final Duration CALL_TIMEOUT = Duration.ofMinutes(3);

  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The gateway's configuration, with its addresses and the admin token.")
  private @Nullable Path config;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "",
      description = "The cluster, if the configuration has several.")
  private String cluster = "";

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      description =
          "The client port of a gateway, such as http://10.0.0.1:9200; may be repeated, then the"
              + " first that answers is used. Default: http.listen of the configuration.")
  private List<URI> gateways = new ArrayList<>();

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description =
          "The admin port of a gateway; name that of EVERY gateway in front of the cluster."
              + " Default: admin.listen of the configuration.")
  private List<URI> admins = new ArrayList<>();

  @Option(
      names = "--header",
      paramLabel = "NAME:VALUE",
      description =
          "A header of requests to the cluster, such as Authorization:... on a secured one; may be"
              + " repeated. @FILE in place of it reads it from a file.")
  private List<String> headers = new ArrayList<>();

  @Option(
      names = "--ca-file",
      paramLabel = "FILE",
      description = "PEM file with the authorities that signed the gateways' certificates.")
  private @Nullable Path authorities;

  /** The command line or the configuration is invalid. */
  static final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
      super(message);
    }
  }

  /**
   * What a command talks to.
   *
   * @param client is closed at the end of the command
   */
  record Connections(RestConnections client, ClusterApi cluster, GatewayAdmin gateways)
      implements AutoCloseable {
    @Override
    public void close() {
      client.close();
    }
  }

  Connections connect() throws UsageException, IOException {
    GatewayPolicy policy = load();
    Map<String, String> ofCluster = clusterHeaders(policy);
    Map<String, String> ofAdmin = AuthorizationHeader.bearer(policy.admin().token());
    List<URI> clientUris =
        gateways.isEmpty()
            ? List.of(uri("--gateway", policy.http().listen(), policy.http().tls().enabled()))
            : gateways;
    List<URI> adminUris =
        admins.isEmpty()
            ? List.of(uri("--admin", policy.admin().listen(), policy.admin().tls().enabled()))
            : admins;
    RestConnections client = trusting(authorities);
    return new Connections(
        client,
        new ClusterApi(targets(client, clientUris, ofCluster), CALL_TIMEOUT),
        new GatewayAdmin(
            targets(client, adminUris, ofAdmin),
            policy.clusters().size() > 1 ? cluster : "",
            CALL_TIMEOUT));
  }

  private static RestConnections trusting(@Nullable Path authorities)
      throws UsageException, IOException {
    try {
      return RestConnections.trusting(authorities);
    } catch (CertificateException e) {
      throw new UsageException("--ca-file: " + e.getMessage());
    }
  }

  private static List<RestTarget> targets(
      RestConnections client, List<URI> addresses, Map<String, String> headers)
      throws UsageException {
    try {
      return addresses.stream().map(uri -> new RestTarget(client, uri, headers)).toList();
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }

  private GatewayPolicy load() throws UsageException {
    if (config == null) {
      throw new UsageException("--config is missing");
    }
    return switch (new PolicyLoader(System.getenv()).load(config)) {
      case LoadResult.Loaded loaded -> loaded.policy();
      case LoadResult.Invalid invalid -> throw new UsageException(invalid.render());
    };
  }

  private Map<String, String> clusterHeaders(GatewayPolicy policy)
      throws UsageException, IOException {
    Map<String, String> all = new LinkedHashMap<>();
    for (String header : headers) {
      String text =
          header.startsWith("@") ? Files.readString(Path.of(header.substring(1))) : header;
      int colon = text.indexOf(':');
      if (colon <= 0) {
        throw new UsageException("got a --header without a colon (expected: NAME:VALUE)");
      }
      all.put(text.substring(0, colon).strip(), text.substring(colon + 1).strip());
    }
    if (policy.clusters().size() > 1) {
      if (!policy.clusters().containsKey(cluster)) {
        throw new UsageException(
            (cluster.isEmpty() ? "--cluster is missing" : "got --cluster " + cluster)
                + " (expected: one of "
                + policy.clusters().keySet()
                + ")");
      }
      String name = policy.traffic().canaryHeader();
      if (name.isEmpty()) {
        throw new UsageException(
            "traffic.canary-header is not set, so requests can't name the cluster: set it to a name"
                + " such as X-Weir-Cluster");
      }
      all.put(name, cluster);
    } else if (!cluster.isEmpty() && !policy.clusters().containsKey(cluster)) {
      throw new UsageException(
          "got --cluster " + cluster + " (expected: one of " + policy.clusters().keySet() + ")");
    }
    return all;
  }

  private static URI uri(String option, HostPort listen, boolean tls) throws UsageException {
    try {
      return ReachableAddress.of(listen, tls, option);
    } catch (IllegalArgumentException e) {
      throw new UsageException(String.valueOf(e.getMessage()));
    }
  }
}
