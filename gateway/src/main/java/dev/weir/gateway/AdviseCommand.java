package dev.weir.gateway;

import dev.weir.advice.Advice;
import dev.weir.advice.AdviceWriter;
import dev.weir.advice.Advisor;
import dev.weir.advice.CheckCatalog;
import dev.weir.advice.CommandFormatter;
import dev.weir.advice.finding.Check;
import dev.weir.advice.snapshot.ApiReader;
import dev.weir.advice.snapshot.ClusterSnapshot;
import dev.weir.advice.snapshot.SnapshotReader;
import dev.weir.client.AuthorizationHeader;
import dev.weir.client.RestConnections;
import dev.weir.client.RestTarget;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.gateway.advice.AdviceCredentials;
import dev.weir.gateway.command.ExitStatus;
import dev.weir.gateway.command.ReachableAddress;
import dev.weir.model.JsonTextWriter;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
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
      description = "The cluster, if the configuration has several.")
  private @Nullable String cluster;

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
  public Integer call() throws InterruptedException {
    GatewayPolicy policy = RepairClusters.loadPolicy(config);
    if (policy == null) {
      return ExitStatus.USAGE_ERROR;
    }
    List<Check> checks;
    AdviceCredentials credentials = AdviceCredentials.of(System.getenv());
    Map<String, String> headers;
    URI rest;
    URI figures;
    try {
      checks = only == null ? CheckCatalog.all() : List.of(CheckCatalog.find(only));
      headers = new HashMap<>(credentials.headers());
      headers.putAll(clusterHeader(policy));
      rest =
          endpoint == null
              ? ReachableAddress.of(
                  policy.http().listen(), policy.http().tls().enabled(), "--endpoint")
              : endpoint;
      figures =
          admin == null
              ? ReachableAddress.of(
                  policy.admin().listen(), policy.admin().tls().enabled(), "--admin")
              : admin;
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return ExitStatus.USAGE_ERROR;
    }
    try (RestConnections connections = RestConnections.trusting(caFile)) {
      RestTarget api;
      RestTarget stats;
      try {
        api = new RestTarget(connections, rest, headers);
        stats =
            new RestTarget(
                connections, figures, AuthorizationHeader.bearer(policy.admin().token()));
      } catch (IllegalArgumentException e) {
        System.err.println(e.getMessage());
        return ExitStatus.USAGE_ERROR;
      }
      ClusterSnapshot snapshot = new SnapshotReader(api::get, ofCluster(stats)).read();
      Advice advice = new Advisor(checks).advise(snapshot);
      print(advice, rest, curlOptions(credentials, policy));
      return advice.hasProblems() ? ExitStatus.HAS_PROBLEMS : ExitStatus.OK;
    } catch (CertificateException e) {
      System.err.println(e.getMessage());
      return ExitStatus.USAGE_ERROR;
    } catch (IOException e) {
      System.err.println(e.getMessage());
      return ExitStatus.FAILED;
    }
  }

  private void print(Advice advice, URI rest, String curlOptions) {
    String base = rest.toString().replaceFirst("/$", "");
    AdviceWriter writer = new AdviceWriter(new CommandFormatter(base, curlOptions));
    System.out.print(
        json ? JsonTextWriter.toIndentedJson(writer.toTree(advice)) + "\n" : writer.toText(advice));
  }

  private String curlOptions(AdviceCredentials credentials, GatewayPolicy policy) {
    StringBuilder options = new StringBuilder(credentials.curlOption());
    if (caFile != null) {
      options.append(options.isEmpty() ? "" : " ").append("--cacert ").append(caFile);
    }
    clusterHeader(policy)
        .forEach((name, value) ->
            options
                .append(options.isEmpty() ? "" : " ")
                .append("-H '" + name + ": " + value + "'"));
    return options.toString();
  }

  /** The header that sends requests through the gateway to one of several clusters. */
  private Map<String, String> clusterHeader(GatewayPolicy policy) {
    if (cluster != null && !policy.clusters().containsKey(cluster)) {
      throw new IllegalArgumentException(
          "got cluster " + cluster + " (expected: one of " + policy.clusters().keySet() + ")");
    }
    if (endpoint != null || policy.clusters().size() == 1) {
      return Map.of();
    }
    if (cluster == null) {
      throw new IllegalArgumentException(
          "got no --cluster (expected: one of " + policy.clusters().keySet() + ")");
    }
    String header = policy.defaultPolicySettings().traffic().canaryHeader();
    if (header.isEmpty()) {
      throw new IllegalArgumentException(
          "traffic.canary-header is not set, so requests can't name a cluster: give --endpoint with"
              + " the REST address of a node of "
              + cluster);
    }
    return Map.of(header, cluster);
  }

  private ApiReader ofCluster(RestTarget stats) {
    String name = cluster;
    if (name == null) {
      return stats::get;
    }
    String query = "?cluster=" + URLEncoder.encode(name, StandardCharsets.UTF_8);
    return path -> stats.get(path + query);
  }
}
