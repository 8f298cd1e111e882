package dev.weir.testkit.cli;

import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.NodeSpec;
import dev.weir.testkit.PortPlan;
import dev.weir.testkit.demo.SampleDataLoader;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.ScratchFolder;
import dev.weir.testkit.process.ShutdownActions;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SecuredClusterSpec;
import dev.weir.testkit.secured.SecuredSampleData;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir demo}: data nodes with sample data and the gateway in front, until Ctrl-C. */
@Command(
    name = "weir demo",
    description =
        "Starts OpenSearch data nodes with sample data, and the gateway in front of them.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class DemoCommand implements Callable<Integer> {
  private static final String LOOPBACK = "127.0.0.1:";
  private static final long GRACE_MILLIS = 500;

  @Option(names = "--nodes", paramLabel = "N", description = "How many data nodes.")
  private int nodes = 3;

  @Option(names = "--port", paramLabel = "P", description = "The gateway's REST port.")
  private int port = 9200;

  @Option(names = "--admin-port", paramLabel = "P", description = "The gateway's admin port.")
  private int adminPort = 9250;

  @Option(names = "--http-port", paramLabel = "P", description = "REST port of the first node.")
  private int httpPort = 9201;

  @Option(
      names = "--transport-port",
      paramLabel = "P",
      description = "Transport port of the first node.")
  private int transportPort = 9301;

  @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each node.")
  private String heap = NodeSpec.DEFAULT_HEAP;

  @Option(names = "--no-data", description = "Loads no sample data.")
  private boolean noData;

  @Option(names = "--data-dir", paramLabel = "DIR", description = "Keeps the data in a folder.")
  private @Nullable Path dataDir;

  @Option(
      names = "--secured",
      description =
          "Starts nodes with the security plugin, TLS, users and a few documents of its own.")
  private boolean secured;

  @Option(names = "--until-stdin-closes", description = "Ends when standard input does.")
  private boolean untilStdinCloses;

  public static void main(String[] args) {
    CommandRunner.runAndExit(new DemoCommand(), args);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Ports.requireFree(port, "the gateway", "choose another with --port");
    Ports.requireFree(
        adminPort, "the gateway's admin endpoint", "choose another with --admin-port");
    CountDownLatch end = new CountDownLatch(1);
    if (untilStdinCloses) {
      CommandRunner.countDownAtEndOfInput(end);
    }
    return secured ? runSecured(end) : runOpen(end);
  }

  private int runOpen(CountDownLatch end) throws IOException, InterruptedException {
    try (DataNodeCluster cluster = DataNodeCluster.start(spec())) {
      CommandRunner.watch(cluster);
      if (!noData) {
        SampleDataLoader data =
            new SampleDataLoader(cluster.rest(), nodes > 1 ? 1 : 0, Clock.systemUTC());
        data.load(System.out::println);
        cluster.awaitGreen();
      }
      String examples = noData ? examplesWithoutData(gateway()) : examplesWithData(gateway());
      return runGateway(cluster, "", examples, end);
    }
  }

  /** Loads documents even with {@code --no-data}: the users have rights on these alone. */
  private int runSecured(CountDownLatch end) throws IOException, InterruptedException {
    try (SecuredCluster cluster = SecuredCluster.start(SecuredClusterSpec.of(spec()))) {
      CommandRunner.watch(cluster.nodes());
      SecuredSampleData.load(cluster.nodes().rest());
      cluster.nodes().awaitGreen();
      String keys = SecuredDemo.clusterKeys(cluster.certificates());
      return runGateway(cluster.nodes(), keys, SecuredDemo.examples(gateway()), end);
    }
  }

  /**
   * Runs the gateway until the end of the demo.
   *
   * @param keys further keys of the cluster in the gateway's configuration
   * @param examples commands to try
   */
  private int runGateway(DataNodeCluster cluster, String keys, String examples, CountDownLatch end)
      throws IOException, InterruptedException {
    System.out.println("starting the gateway");
    try (ScratchFolder scratch = ScratchFolder.create("weir-demo-")) {
      Path config = scratch.path().resolve("weir.yaml");
      Files.writeString(config, config(cluster, keys));
      return runGateway(config, () -> banner(cluster, config, examples), end);
    }
  }

  private int runGateway(Path config, Supplier<String> banner, CountDownLatch end)
      throws InterruptedException {
    Path log = log(config);
    try (GatewayChildProcess gateway = GatewayChildProcess.start(config, log)) {
      gateway.awaitReady(URI.create("http://" + LOOPBACK + adminPort));
      System.out.println(banner.get());
      gateway.exitCode().thenRun(end::countDown);
      end.await();
      if (gateway.exitCode().isDone()) {
        Thread.sleep(GRACE_MILLIS); // Ctrl-C ends the gateway and this JVM together
        if (!ShutdownActions.isShuttingDown()) {
          throw new IllegalStateException(
              "the gateway ended with status " + gateway.exitCode().join() + "; its log is " + log);
        }
      }
    }
    return 0;
  }

  private ClusterSpec spec() {
    ClusterSpec spec =
        ClusterSpec.ofNodes(nodes)
            .withName("weir-demo")
            .withPorts(new PortPlan(httpPort, transportPort))
            .withProgress(System.out::println)
            .mapNodes(node -> node.withHeap(heap));
    return dataDir == null ? spec : spec.withFolder(dataDir.toAbsolutePath());
  }

  private static Path log(Path config) {
    return config.resolveSibling("gateway.log");
  }

  private String gateway() {
    return "http://" + LOOPBACK + port;
  }

  private String config(DataNodeCluster cluster, String keys) {
    String seeds =
        cluster.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
    return """
    clusters:
      main:
        seeds: [%s]
    %shttp:
      listen: "%s%d"
    admin:
      listen: "%s%d"
    """
        .formatted(seeds, keys, LOOPBACK, port, LOOPBACK, adminPort);
  }

  private String banner(DataNodeCluster cluster, Path config, String examples) {
    String nodeList =
        cluster.nodes().stream().map(DataNode::toString).collect(Collectors.joining("\n    "));
    String admin = "http://" + LOOPBACK + adminPort;
    return """

    Weir is ready: %s, in front of
        %s
    its configuration is %s, its log %s

    Try:
    %s
      curl '%s/routing'      the nodes' load, and how copies are ranked
      curl '%s/metrics'      what Prometheus would scrape

    Ctrl-C ends all of it.
    """
        .formatted(gateway(), nodeList, config, log(config), examples, admin, admin);
  }

  private static String examplesWithoutData(String gateway) {
    return """
    curl '%1$s/_cat/nodes?v'
    curl -H 'Content-Type: application/json' '%1$s/first/_doc/1' -d '{"hello": "weir"}'\
    """
        .formatted(gateway)
        .indent(2)
        .stripTrailing();
  }

  private static String examplesWithData(String gateway) {
    return """
    curl '%1$s/products/_search?q=name:lamp&size=3&pretty'
    curl '%1$s/products/_doc/P00001?pretty'
    curl -H 'Content-Type: application/json' '%1$s/access-log/_search?size=0&pretty' -d '
      {"aggs": {"paths": {"terms": {"field": "path"},
                "aggs": {"slow": {"percentiles": {"field": "duration_ms"}}}}}}'
    curl '%1$s/_cat/indices?v'\
    """
        .formatted(gateway)
        .indent(2)
        .stripTrailing();
  }
}
