package dev.weir.testkit.cli;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.secured.ClientCertificateMode;
import dev.weir.testkit.secured.ClusterCertificates;
import dev.weir.testkit.secured.IssuedCertificate;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredClusterSpec;
import dev.weir.testkit.secured.SecuredSampleData;
import dev.weir.testkit.secured.SecuredUser;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir nodes}: runs data nodes for experiments, until Ctrl-C. */
@Command(
    name = "weir nodes",
    description = "Starts OpenSearch data nodes and prints 'ready' when their cluster is green.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class NodesCommand implements Callable<Integer> {
  @Option(names = "--nodes", paramLabel = "N", description = "How many.")
  private int nodes = 3;

  @Option(names = "--http-port", paramLabel = "P", description = "REST port of the first; 0: free.")
  private int httpPort = 9201;

  @Option(
      names = "--transport-port",
      paramLabel = "P",
      description = "Transport port of the first; 0: free.")
  private int transportPort = 9301;

  @Option(names = "--cluster-name", paramLabel = "NAME", description = "The cluster's name.")
  private String clusterName = "weir";

  @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each node.")
  private String heap = NodeSpec.DEFAULT_HEAP;

  @Option(names = "--data-dir", paramLabel = "DIR", description = "Keeps the data in a folder.")
  private @Nullable Path dataDir;

  @Option(
      names = "--setting",
      paramLabel = "KEY=VALUE",
      description = "A setting for each node; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(names = "--stock", description = "Leaves Weir's own plugin out.")
  private boolean stock;

  @Option(
      names = "--plain-start",
      description = "Starts the JVMs as in production, which takes longer.")
  private boolean plainStart;

  @Option(
      names = "--secured",
      description =
          "Starts nodes with the security plugin and TLS, in the newest release that has the"
              + " plugin on Maven Central, with users and a few documents.")
  private boolean secured;

  @Option(
      names = "--client-certificates",
      paramLabel = "MODE",
      description =
          "With --secured: whether clients may or must show one: ${COMPLETION-CANDIDATES}.")
  private ClientCertificateMode clientCertificates = ClientCertificateMode.OPTIONAL;

  @Option(
      names = "--do-not-fail-on-forbidden",
      description = "With --secured: leaves forbidden indices out of a search, in place of 403.")
  private boolean doNotFailOnForbidden;

  @Option(names = "--until-stdin-closes", description = "Ends when standard input does.")
  private boolean untilStdinCloses;

  public static void main(String[] args) {
    CommandRunner.runAndExit(new NodesCommand(), args);
  }

  @Override
  public Integer call() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    if (untilStdinCloses) {
      CommandRunner.countDownAtEndOfInput(end);
    }
    if (secured) {
      try (SecuredCluster started = SecuredCluster.start(securedSpec())) {
        SecuredSampleData.load(started.nodes().rest());
        System.err.println(hint(started));
        serve(started.nodes(), end);
      }
    } else {
      try (DataNodeCluster started = DataNodeCluster.start(spec())) {
        serve(started, end);
      }
    }
    return 0;
  }

  private static void serve(DataNodeCluster started, CountDownLatch end)
      throws InterruptedException {
    CommandRunner.watch(started);
    started.nodes().forEach(System.err::println);
    System.out.println("ready");
    System.out.flush();
    end.await();
    System.err.println("ending " + started.clusterName());
  }

  private SecuredClusterSpec securedSpec() {
    return new SecuredClusterSpec(spec().withoutPlugin(), clientCertificates, doNotFailOnForbidden);
  }

  private String hint(SecuredCluster started) {
    ClusterCertificates certificates = started.certificates();
    IssuedCertificate gateway = certificates.gateway();
    String shown =
        clientCertificates == ClientCertificateMode.REQUIRE
            ? "--cert " + gateway.certificateFile() + " --key " + gateway.keyFile() + " "
            : "";
    SecuredUser reader = SecuredUser.REGION_READER;
    return """
    certificates and keys are in %s; each user's password is weir-USER; try:
      curl --cacert %s %s-u %s:%s '%s/orders-*/_search?pretty'\
    """
        .formatted(
            gateway.certificateFile().getParent(),
            certificates.authority().certificateFile(),
            shown,
            reader.username(),
            reader.password(),
            started.nodes().node(0).httpUri());
  }

  private ClusterSpec spec() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(nodes)
            .withName(clusterName)
            .withPorts(new PortPlan(httpPort, transportPort))
            .withProgress(System.err::println)
            .mapNodes(this::configured);
    if (stock) {
      spec = spec.withoutPlugin();
    }
    if (plainStart) {
      spec = spec.withoutAotCache();
    }
    return dataDir == null ? spec : spec.withFolder(dataDir.toAbsolutePath());
  }

  private NodeSpec configured(NodeSpec node) {
    NodeSpec configured = node.withHeap(heap);
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      configured = configured.withSetting(setting.getKey(), setting.getValue());
    }
    return configured;
  }
}
