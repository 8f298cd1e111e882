package dev.weir.bench;

import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the cost of coordinating, in comparison with a coordinating-only node. */
@Command(
    name = "coordinate",
    description = "CPU, heap and memory of coordinating, beside a coordinating-only node")
public final class CoordinateBench implements Callable<Integer> {
  /** The bound of the CPU time of a request, relative to that of a coordinating-only node. */
  private static final Map<Workload, Double> BOUNDS = bounds();

  private static final double MAX_OF_BASELINE = 1.03;
  private static final double FULL_ROUND_SECONDS = 8;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = FULL_ROUND_SECONDS;

  @Option(names = "--rounds", description = "rounds of each workload (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 32;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 30_000;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each contender, until its CPU time a request has stopped"
              + " falling (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(names = "--shards", description = "shards of an index (default: ${DEFAULT-VALUE})")
  private int shards = 3;

  @Option(
      names = "--store-only",
      description =
          "nodes store what is written and index none of its fields, so that more bulks reach the"
              + " contenders")
  private boolean storeOnly;

  @Option(names = "--cold", description = "measure the first minute of fresh processes, no more")
  private boolean cold;

  @Option(names = "--only", description = "only workloads whose name ends with this")
  private String only = "";

  @Option(
      names = "--baseline",
      description =
          "also measure the gateway that ./weir has built in this other checkout; may be repeated")
  private List<Path> baselines = new ArrayList<>();

  private final PrintStream out = System.out;

  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  public CoordinateBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3));
        StartedContenders others = StartedContenders.start(baselines, lease.cluster(), out)) {
      DataNodeCluster nodes = lease.cluster();
      InetSocketAddress setup = coordinator(nodes).address();
      BenchIndexes.load(setup, documents, layout());
      out.println("loaded " + documents + " documents in " + shards + " shards");
      if (cold) {
        measureColdStart(nodes);
        return 0;
      }
      List<MeasuredEndpoint> contenders = new ArrayList<>();
      contenders.add(coordinator(nodes));
      contenders.addAll(others.endpoints());
      contenders.add(new MeasuredEndpoint("weir", gateway.address(), gateway.pid()));
      List<Long> dataNodes = dataNodes(nodes).stream().map(DataNode::pid).toList();
      Map<String, List<EndpointMeasurement>> results = new LinkedHashMap<>();
      for (Workload workload : BOUNDS.keySet()) {
        if (workload.name().endsWith(only)) {
          results.put(workload.name(), run(workload, contenders, dataNodes));
        }
      }
      ResultTable.print(out, contenders, results);
      printMemory(contenders);
      ResultTable.printCalls(out, contenders, results);
      check(contenders, results);
    }
    checks.print();
    return checks.exitCode();
  }

  private static List<DataNode> dataNodes(DataNodeCluster nodes) {
    return nodes.nodes().subList(0, 3);
  }

  private static MeasuredEndpoint coordinator(DataNodeCluster nodes) {
    DataNode node = nodes.node(3);
    return new MeasuredEndpoint(
        "coordinating-only node", new InetSocketAddress("127.0.0.1", node.httpPort()), node.pid());
  }

  private void printMemory(List<MeasuredEndpoint> contenders) {
    for (MeasuredEndpoint contender : contenders) {
      if (contender.pid() != MeasuredEndpoint.NO_PROCESS) {
        ProcessUsage use = contender.usage();
        out.printf(
            "%s: resident %d MB, peak %d MB%n",
            contender.name(), use.residentBytes() >> 20, use.peakResidentBytes() >> 20);
      }
    }
  }

  private BenchIndexes.Layout layout() {
    return new BenchIndexes.Layout(shards, 1, !storeOnly);
  }

  private void measureColdStart(DataNodeCluster nodes) throws IOException {
    for (Workload workload : BOUNDS.keySet()) {
      if (!workload.name().endsWith(only)) {
        continue;
      }
      DataNode coordinator = nodes.node(3);
      ColdStart start =
          new ColdStart(out, workload, clients, Math.min(1, seconds / FULL_ROUND_SECONDS));
      start.run(() -> {
        coordinator.restart();
        return coordinator(nodes);
      });
      try (MeasuredGateway fresh = MeasuredGateway.start(nodes.seeds().subList(0, 3))) {
        start.run(() -> new MeasuredEndpoint("weir", fresh.address(), fresh.pid()));
      }
    }
  }

  private static Map<Workload, Double> bounds() {
    Map<Workload, Double> bounds = new LinkedHashMap<>();
    bounds.put(Workload.search(10), 0.4);
    bounds.put(Workload.search(1000), 0.45);
    bounds.put(Workload.terms(), 0.4);
    bounds.put(Workload.bulk(1000), 0.4);
    return bounds;
  }

  private void check(
      List<MeasuredEndpoint> contenders, Map<String, List<EndpointMeasurement>> results) {
    BOUNDS.forEach((kind, bound) -> {
      String workload = kind.name();
      List<EndpointMeasurement> measures = results.get(workload);
      if (measures == null) {
        return;
      }
      EndpointMeasurement node = measures.getFirst();
      EndpointMeasurement weir = measures.getLast();
      checks.checkAtMost(
          workload,
          "CPU a request, of the coordinating-only node's",
          weir.gatewayCpu() / node.gatewayCpu(),
          bound);
      checks.checkAtMost(
          workload,
          "heap allocated a request, of the coordinating-only node's",
          weir.allocatedKilobytesPerRequest() / node.allocatedKilobytesPerRequest(),
          1);
      for (int i = 1; i < contenders.size() - 1; i++) {
        EndpointMeasurement other = measures.get(i);
        if (contenders.get(i).pid() == MeasuredEndpoint.NO_PROCESS) {
          checks.checkAtMost(
              workload,
              "CPU a request with nodes, of clients straight to the nodes",
              weir.totalCpu() / other.totalCpu(),
              1);
        } else if (contenders.get(i).name().startsWith(StartedContenders.BASELINE)) {
          checks.checkAtMost(
              workload,
              "CPU a request, of " + contenders.get(i).name(),
              weir.gatewayCpu() / other.gatewayCpu(),
              MAX_OF_BASELINE);
        }
      }
      for (int i = 0; i < contenders.size(); i++) {
        checks.checkSuccesses(workload, contenders.get(i).name(), measures.get(i).errors());
      }
    });
  }

  private List<EndpointMeasurement> run(
      Workload workload, List<MeasuredEndpoint> contenders, List<Long> dataNodes)
      throws IOException {
    List<EndpointMeasurement> measures = new ArrayList<>();
    contenders.forEach(contender -> measures.add(new EndpointMeasurement()));
    new WarmUp(out, seconds, warmUp)
        .run(
            workload.name(),
            contenders.stream().map(MeasuredEndpoint::name).toList(),
            (i, length) -> {
              BenchIndexes.emptyWriteIndex(contenders.getFirst().address(), layout());
              return EndpointMeasurement.warmUpRound(
                  contenders.get(i), workload, dataNodes, clients, length);
            });
    for (int round = 1; round <= rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        BenchIndexes.emptyWriteIndex(contenders.getFirst().address(), layout());
        measures.get(i).runRound(contenders.get(i), workload, dataNodes, clients, seconds);
        out.printf(
            "round %d: %s, %s: %.3f CPU-s/1000%n",
            round,
            workload.name(),
            contenders.get(i).name(),
            measures.get(i).judgedCpu(contenders.get(i)));
      }
    }
    for (int i = 0; i < contenders.size(); i++) {
      if (contenders.get(i).pid() != MeasuredEndpoint.NO_PROCESS) {
        BenchIndexes.emptyWriteIndex(contenders.getFirst().address(), layout());
        measures.get(i).countSystemCalls(contenders.get(i), workload, clients, seconds / 4);
        if (contenders.get(i).isJvm()) {
          measures.get(i).measureAllocations(contenders.get(i), workload, clients, seconds / 4);
        }
      }
    }
    return measures;
  }
}
