package dev.weir.gateway;

import dev.weir.advice.Advice;
import dev.weir.advice.AdviceWriter;
import dev.weir.advice.Advisor;
import dev.weir.advice.CheckCatalog;
import dev.weir.advice.CommandFormatter;
import dev.weir.advice.finding.Check;
import dev.weir.advice.snapshot.ApiReader;
import dev.weir.advice.snapshot.SnapshotReader;
import dev.weir.client.RestTarget;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.advice.AdviceCredentials;
import dev.weir.gateway.command.ChosenCluster;
import dev.weir.gateway.command.CommandPolicy;
import dev.weir.gateway.command.ExitStatus;
import dev.weir.gateway.command.GatewayPorts;
import dev.weir.gateway.command.UsageException;
import dev.weir.model.JsonTextWriter;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks the practices of running OpenSearch on a live cluster. */
@Command(
    name = "advise",
    description = {
      "Checks the practices of running OpenSearch on the live cluster behind a gateway, and prints"
          + " each finding with its figure, its reason and the call that mends it. It changes"
          + " nothing.",
      "On a secured cluster it asks as the user in WEIR_ADVISE_USER, with WEIR_ADVISE_PASSWORD.",
      "Exit status: 0 without problems, 1 when the cluster can't be read, 2 when the command line"
          + " or the configuration is invalid, 3 with findings of the severity problem."
    },
    mixinStandardHelpOptions = true)
final class AdviseCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The gateway's configuration, with the addresses of its ports.")
  private @Nullable Path config;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      defaultValue = "",
      description = "The cluster, if the configuration has several.")
  private String cluster = "";

  @Option(
      names = "--endpoint",
      paramLabel = "URL",
      description =
          "The REST API to ask, of the gateway or of a node. Default: http.listen of the gateway.")
  private @Nullable URI endpoint;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "The gateway's admin port, for its traffic. Default: admin.listen.")
  private @Nullable URI admin;

  @Option(
      names = "--ca-file",
      paramLabel = "PEM",
      description =
          "The certificate authorities to trust, where an address is https. Default: those of the"
              + " JDK.")
  private @Nullable Path caFile;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(names = "--only", paramLabel = "CHECK", description = "Run this check alone.")
  private @Nullable String only;

  @Override
  public Integer call() throws UsageException, InterruptedException {
    GatewayPolicy policy = CommandPolicy.load(config);
    Advisor advisor = new Advisor(checks());
    AdviceCredentials credentials = AdviceCredentials.of(System.getenv());
    Map<String, String> ofCluster = clusterHeader(policy);
    Map<String, String> headers = new HashMap<>(credentials.headers());
    headers.putAll(ofCluster);
    try (GatewayPorts ports = GatewayPorts.trusting(policy, caFile)) {
      RestTarget api = ports.clientPorts("--endpoint", listOf(endpoint), headers).getFirst();
      RestTarget stats = ports.adminPorts(listOf(admin)).getFirst();
      Advice advice = advisor.advise(new SnapshotReader(api::get, ofCluster(stats)).read());
      print(advice, api.base(), curlOptions(credentials, ofCluster));
      return advice.hasProblems() ? ExitStatus.HAS_PROBLEMS : ExitStatus.OK;
    } catch (IOException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    }
  }

  private List<Check> checks() throws UsageException {
    try {
      return only == null ? CheckCatalog.all() : List.of(CheckCatalog.find(only));
    } catch (IllegalArgumentException e) {
      throw new UsageException(e);
    }
  }

  private static List<URI> listOf(@Nullable URI address) {
    return address == null ? List.of() : List.of(address);
  }

  private void print(Advice advice, URI rest, String curlOptions) {
    String base = rest.toString().replaceFirst("/$", "");
    AdviceWriter writer = new AdviceWriter(new CommandFormatter(base, curlOptions));
    System.out.print(
        json ? JsonTextWriter.toIndentedJson(writer.toTree(advice)) + "\n" : writer.toText(advice));
  }

  private String curlOptions(AdviceCredentials credentials, Map<String, String> headers) {
    StringBuilder options = new StringBuilder(credentials.curlOption());
    if (caFile != null) {
      options.append(options.isEmpty() ? "" : " ").append("--cacert ").append(caFile);
    }
    headers.forEach((name, value) ->
        options.append(options.isEmpty() ? "" : " ").append("-H '" + name + ": " + value + "'"));
    return options.toString();
  }

  /** The header that sends requests through the gateway to one of several clusters. */
  private Map<String, String> clusterHeader(GatewayPolicy policy) throws UsageException {
    if (endpoint == null) {
      return ChosenCluster.of(policy, cluster)
          .headerOr("give --endpoint with the REST address of a node of " + cluster);
    }
    if (!cluster.isEmpty()) {
      ChosenCluster.requireKnown(policy, cluster);
    }
    return Map.of(); // a node's address chooses the cluster
  }

  private ApiReader ofCluster(RestTarget stats) {
    if (cluster.isEmpty()) {
      return stats::get;
    }
    String query = "?cluster=" + URLEncoder.encode(cluster, StandardCharsets.UTF_8);
    return path -> stats.get(path + query);
  }
}
