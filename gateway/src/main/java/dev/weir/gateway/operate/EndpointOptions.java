package dev.weir.gateway.operate;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.command.ChosenCluster;
import dev.weir.gateway.command.CommandPolicy;
import dev.weir.gateway.command.FileProblems;
import dev.weir.gateway.command.GatewayPorts;
import dev.weir.gateway.command.UsageException;
import dev.weir.operate.ClusterApi;
import dev.weir.operate.GatewayAdmin;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /**
   * What a command talks to.
   *
   * @param ports are closed at the end of the command
   */
  record Connections(GatewayPorts ports, ClusterApi cluster, GatewayAdmin gateways)
      implements AutoCloseable {
    @Override
    public void close() {
      ports.close();
    }
  }

  Connections connect() throws UsageException {
    GatewayPolicy policy = CommandPolicy.load(config);
    ChosenCluster chosen = ChosenCluster.of(policy, cluster);
    Map<String, String> ofCluster = givenHeaders();
    ofCluster.putAll(chosen.header());
    GatewayPorts ports = GatewayPorts.trusting(policy, authorities);
    return new Connections(
        ports,
        new ClusterApi(ports.clientPorts("--gateway", gateways, ofCluster), CALL_TIMEOUT),
        new GatewayAdmin(ports.adminPorts(admins), chosen.name(), CALL_TIMEOUT));
  }

  /** The headers that the command line gives. */
  private Map<String, String> givenHeaders() throws UsageException {
    Map<String, String> given = new LinkedHashMap<>();
    for (String header : headers) {
      String text = header.startsWith("@") ? readHeader(Path.of(header.substring(1))) : header;
      int colon = text.indexOf(':');
      if (colon <= 0) {
        throw new UsageException("got a --header without a colon (expected: NAME:VALUE)");
      }
      given.put(text.substring(0, colon).strip(), text.substring(colon + 1).strip());
    }
    return given;
  }

  private static String readHeader(Path file) throws UsageException {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw FileProblems.unreadable("--header", file, e);
    }
  }
}
