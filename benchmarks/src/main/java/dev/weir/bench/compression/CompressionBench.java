package dev.weir.bench.compression;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.PluginPlacement;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures compression between the gateway and nodes: none, DEFLATE, and zstd by the plugin. */
@Command(
    name = "compression",
    description = "bytes and CPU between gateway and nodes: uncompressed, DEFLATE, zstd")
public final class CompressionBench implements Callable<Integer> {
  private static final List<String> CODINGS = List.of("off", "deflate", "zstd");
  private static final List<Workload> WORKLOADS =
      List.of(Workload.search(1000), Workload.bulk(1000));
  private static final BenchIndexes.Layout LAYOUT = new BenchIndexes.Layout(3, 0);
  private static final Pattern BYTES =
      Pattern.compile("\"(?:sent|received)_bytes\"\\s*:\\s*(\\d+)");

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Option(names = "--rounds", description = "rounds of each coding (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 4;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(
      names = "--warm-up",
      description = "the most seconds of load for each coding before (default: ${DEFAULT-VALUE})")
  private double warmUp = 60;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  /** Creates the command. */
  public CompressionBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  /** A gateway with one coding. */
  private final class Contender implements AutoCloseable {
    private final MeasuredGateway gateway;
    private final MeasuredEndpoint endpoint;
    private final RestClient admin;
    private EndpointMeasurement measured = new EndpointMeasurement();
    private long bytes;

    Contender(String coding, List<String> seeds) throws IOException {
      String sections =
          """
          clusters:
            main:
              seeds: ["%s"]
              authorization: none
              compression: %s
          """
              .formatted(String.join("\", \"", seeds), coding.equals("zstd") ? "on" : coding);
      gateway = MeasuredGateway.startWithConfig(sections);
      endpoint = new MeasuredEndpoint(coding, gateway.address(), gateway.pid());
      admin = new RestClient(URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort()));
    }

    void reset() {
      measured = new EndpointMeasurement();
      bytes = 0;
    }

    void run(Workload workload, List<Long> nodes) {
      long before = transportBytes();
      measured.runRound(endpoint, workload, nodes, clients, seconds);
      bytes += transportBytes() - before;
    }

    /** Bytes in both directions, with all nodes. */
    private long transportBytes() {
      Matcher counts = BYTES.matcher(admin.send("GET", "/stats").orThrow().body());
      long sum = 0;
      while (counts.find()) {
        sum += Long.parseLong(counts.group(1));
      }
      return sum;
    }

    double kilobytes() {
      return bytes / 1024.0 / measured.requests();
    }

    double gatewayMillis() {
      return measured.gatewayCpu();
    }

    double nodeMillis() {
      return measured.totalCpu() - measured.gatewayCpu();
    }

    @Override
    public void close() {
      admin.close();
      gateway.close();
    }
  }

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1, PluginPlacement.ALL)
            .withName("weir-bench-with-plugin")
            .mapNodes(node -> node.withHeap("1g"))
            .withoutAotCache()
            .withProgress(out::println);
    List<Contender> contenders = new ArrayList<>();
    try (BenchClusters.Lease lease = clusters.lease(spec)) {
      DataNodeCluster nodes = lease.cluster();
      InetSocketAddress setup = new InetSocketAddress("127.0.0.1", nodes.node(0).httpPort());
      BenchIndexes.load(setup, documents, LAYOUT);
      for (String coding : CODINGS) {
        contenders.add(new Contender(coding, nodes.seeds()));
      }
      for (Workload workload : WORKLOADS) {
        measure(workload, contenders, nodes.nodes().stream().map(DataNode::pid).toList(), setup);
        print(workload, contenders);
        check(workload, contenders);
      }
    } finally {
      contenders.forEach(Contender::close);
    }
    checks.print();
    return checks.exitCode();
  }

  private void measure(
      Workload workload, List<Contender> contenders, List<Long> nodes, InetSocketAddress setup)
      throws IOException {
    new WarmUp(out, seconds, warmUp)
        .run(
            workload.name(),
            CODINGS,
            (i, length) -> {
              BenchIndexes.emptyWriteIndex(setup, LAYOUT);
              return EndpointMeasurement.warmUpRound(
                  contenders.get(i).endpoint, workload, nodes, clients, length);
            });
    contenders.forEach(Contender::reset);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        BenchIndexes.emptyWriteIndex(setup, LAYOUT);
        contenders.get((i + round) % contenders.size()).run(workload, nodes);
      }
    }
  }

  private void print(Workload workload, List<Contender> contenders) {
    out.printf(
        "%n%-16s %-8s %12s %15s %12s%n",
        "workload", "coding", "KB a request", "gateway CPU-ms", "node CPU-ms");
    for (Contender each : contenders) {
      out.printf(
          Locale.ROOT,
          "%-16s %-8s %12.1f %15.3f %12.3f%n",
          workload.name(),
          each.endpoint.name(),
          each.kilobytes(),
          each.gatewayMillis(),
          each.nodeMillis());
    }
    out.println();
  }

  private void check(Workload workload, List<Contender> contenders) {
    Contender deflate = contenders.get(1);
    Contender zstd = contenders.get(2);
    String title = workload.name();
    checks.checkAtMost(
        title, "zstd's bytes, of DEFLATE's", zstd.kilobytes() / deflate.kilobytes(), 1);
    checks.checkAtMost(
        title,
        "zstd's CPU of gateway and node, of DEFLATE's",
        zstd.measured.totalCpu() / deflate.measured.totalCpu(),
        1);
    for (Contender each : contenders) {
      checks.checkAtMost(
          title, each.endpoint.name() + ", errors", (double) each.measured.errors(), 0);
    }
  }
}
