package dev.weir.bench.sampling;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./weir bench sampling}: aggregations of all shards, and estimates from some. */
@Command(
    name = "sampling",
    description = "CPU of nodes for aggregations of all shards, and for estimates from some")
public final class SamplingBench implements Callable<Integer> {
  private static final String INDEX = "bench-sampled";
  private static final double MAX_THREE_CPU = 0.35;
  private static final double MAX_TEN_CPU = 0.6;
  private static final int CHUNK = 2000;

  @Option(names = "--documents", description = "documents of the index (default: ${DEFAULT-VALUE})")
  private int documents = 1_000_000;

  @Option(names = "--shards", description = "shards of the index (default: ${DEFAULT-VALUE})")
  private int shards = 30;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 1;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 5;

  @Option(names = "--rounds", description = "rounds, alternately (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--warm-up",
      description = "seconds of load before, for each search (default: ${DEFAULT-VALUE})")
  private double warmUp = 10;

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  /** Creates the benchmark. */
  public SamplingBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  /**
   * A way to an answer.
   *
   * @param maxCpu the bound of the nodes' CPU relative to the first way; NaN for none
   */
  private record Way(String name, String parameters, double maxCpu) {}

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(2).withName("weir-bench-sampling").withProgress(out::println);
    try (BenchClusters.Lease lease = clusters.lease(spec)) {
      load(lease.cluster().rest());
      try (MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds())) {
        for (SampledWorkload workload : SampledWorkload.values()) {
          compare(workload, lease.cluster(), gateway);
        }
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private void load(RestClient rest) {
    rest.send(
            "PUT",
            "/" + INDEX,
            """
            {"settings":{"number_of_shards":%d,"number_of_replicas":0,"refresh_interval":"-1",
              "translog.durability":"async"},
             "mappings":{"properties":{"at":{"type":"date"},"page":{"type":"keyword"},
              "host":{"type":"keyword"},"ms":{"type":"integer"},"items":{"type":"integer"}}}}
            """
                .formatted(shards))
        .orThrow();
    Random random = new Random(3);
    for (int from = 0; from < documents; from += CHUNK) {
      StringBuilder lines = new StringBuilder();
      for (int n = from; n < Math.min(documents, from + CHUNK); n++) {
        lines.append("{\"index\":{}}\n").append(document(n, random)).append('\n');
      }
      rest.bulk(
              "/" + INDEX + "/_bulk?filter_path=errors",
              lines.toString().getBytes(StandardCharsets.UTF_8))
          .orThrow();
    }
    rest.send("POST", "/" + INDEX + "/_refresh").orThrow();
    out.printf("loaded %d documents into %d shards%n", documents, shards);
  }

  /** A document of a log of 30 days, in the order of its time. */
  private String document(int n, Random random) {
    long millis = 1_790_000_000_000L + (long) n * 30 * 86_400_000 / documents;
    return String.format(
        Locale.ROOT,
        "{\"at\":%d,\"page\":\"page-%d\",\"host\":\"host-%d\",\"ms\":%d,\"items\":%d}",
        millis,
        random.nextInt(20),
        random.nextInt(50),
        (int) (500 * Math.abs(random.nextGaussian())),
        random.nextInt(100));
  }

  private void compare(SampledWorkload workload, DataNodeCluster nodes, MeasuredGateway gateway) {
    MeasuredEndpoint weir = new MeasuredEndpoint("weir", gateway.address(), gateway.pid());
    List<Long> pids = nodes.nodes().stream().map(DataNode::pid).toList();
    measure(
        workload,
        List.of(
            new Way("all shards", "", Double.NaN),
            new Way("10 shards", "&sample_shards=10", MAX_TEN_CPU),
            new Way("3 shards", "&sample_shards=3", MAX_THREE_CPU)),
        weir,
        pids);
  }

  private void measure(
      SampledWorkload workload, List<Way> ways, MeasuredEndpoint weir, List<Long> nodes) {
    String title = workload.title();
    List<Workload> workloads =
        ways.stream()
            .map(way ->
                Workload.ofPost(
                    way.name,
                    "/" + INDEX + "/_search?request_cache=false" + way.parameters,
                    n -> workload.body()))
            .toList();
    List<EndpointMeasurement> results =
        ways.stream().map(way -> new EndpointMeasurement()).toList();
    for (Workload search : workloads) {
      new EndpointMeasurement().runRound(weir, search, nodes, clients, warmUp);
    }
    for (int round = 0; round < rounds; round++) {
      for (int way = 0; way < ways.size(); way++) {
        results.get(way).runRound(weir, workloads.get(way), nodes, clients, seconds);
      }
    }
    out.printf(
        "%n%-28s %14s %7s %18s %10s %10s%n",
        title, "nodes' CPU ms", "ratio", "gateway's CPU ms", "p50 ms", "p99 ms");
    double base = nodeMillis(results.getFirst());
    for (int way = 0; way < ways.size(); way++) {
      EndpointMeasurement result = results.get(way);
      double ratio = nodeMillis(result) / base;
      out.printf(
          Locale.ROOT,
          "%-28s %14.2f %7.2f %18.2f %10.1f %10.1f%n",
          ways.get(way).name,
          nodeMillis(result),
          ratio,
          result.gatewayCpu(),
          result.millis(50),
          result.millis(99));
      if (!Double.isNaN(ways.get(way).maxCpu)) {
        String of = "CPU of the nodes, of all shards";
        checks.checkAtMost(title + ", " + ways.get(way).name, of, ratio, ways.get(way).maxCpu);
      }
      checks.checkTrue(title + ", " + ways.get(way).name, "all succeed", result.errors() == 0);
    }
  }

  /** Returns the CPU of all nodes for a search. */
  private static double nodeMillis(EndpointMeasurement result) {
    return result.totalCpu() - result.gatewayCpu();
  }
}
