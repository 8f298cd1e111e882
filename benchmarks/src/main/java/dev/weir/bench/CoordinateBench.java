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
import org.jspecify.annotations.Nullable;
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

  @Option(names = "--cold", description = "measure the first minute of fresh processes, no more")
  private boolean cold;

  @Option(names = "--only", description = "only workloads whose name contains this")
  private String only = "";

  @Option(
      names = "--baseline",
      description = "also measure the gateway that ./weir has built in this other checkout")
  private @Nullable Path baseline;

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
        @Nullable MeasuredGateway other = startBaseline(lease.cluster())) {
      DataNodeCluster nodes = lease.cluster();
      DataNode coordinator = nodes.node(3);
      List<MeasuredEndpoint> contenders = new ArrayList<>();
      contenders.add(
          new MeasuredEndpoint(
              "coordinating-only node",
              new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
              coordinator.pid()));
      if (other != null) {
        contenders.add(new MeasuredEndpoint("baseline", other.address(), other.pid()));
      }
      contenders.add(new MeasuredEndpoint("weir", gateway.address(), gateway.pid()));
      BenchIndexes.load(contenders.getFirst().address(), documents, layout());
      out.println("loaded " + documents + " documents in " + shards + " shards");
      if (cold) {
        measureColdStart(nodes);
        return 0;
      }
      List<Long> dataNodes = nodes.nodes().subList(0, 3).stream().map(DataNode::pid).toList();
      Map<String, List<EndpointMeasurement>> results = new LinkedHashMap<>();
      for (Workload workload : BOUNDS.keySet()) {
        if (workload.name().contains(only)) {
          results.put(workload.name(), run(workload, contenders, dataNodes));
        }
      }
      ResultTable.print(out, contenders, results);
      for (MeasuredEndpoint contender : contenders) {
        ProcessUsage use = ProcessUsage.read(contender.pid());
        out.printf(
            "%s: resident %d MB, peak %d MB%n",
            contender.name(), use.residentBytes() >> 20, use.peakResidentBytes() >> 20);
      }
      measureAllocations(contenders, results);
      ResultTable.printAllocations(out, contenders, results);
      check(results);
    }
    checks.print();
    return checks.exitCode();
  }

  private BenchIndexes.Layout layout() {
    return new BenchIndexes.Layout(shards, 1);
  }

  private void measureColdStart(DataNodeCluster nodes) throws IOException {
    for (Workload workload : BOUNDS.keySet()) {
      if (!workload.name().contains(only)) {
        continue;
      }
      DataNode coordinator = nodes.node(3);
      ColdStart start =
          new ColdStart(out, workload, clients, Math.min(1, seconds / FULL_ROUND_SECONDS));
      start.run(() -> {
        coordinator.restart();
        return new MeasuredEndpoint(
            "coordinating-only node",
            new InetSocketAddress("127.0.0.1", coordinator.httpPort()),
            coordinator.pid());
      });
      try (MeasuredGateway fresh = MeasuredGateway.start(nodes.seeds().subList(0, 3))) {
        start.run(() -> new MeasuredEndpoint("weir", fresh.address(), fresh.pid()));
      }
    }
  }

  private @Nullable MeasuredGateway startBaseline(DataNodeCluster nodes) throws IOException {
    return baseline == null
        ? null
        : MeasuredGateway.startOther(baseline, nodes.seeds().subList(0, 3));
  }

  private static Map<Workload, Double> bounds() {
    Map<Workload, Double> bounds = new LinkedHashMap<>();
    bounds.put(Workload.search(10), 0.4);
    bounds.put(Workload.search(1000), 0.4);
    bounds.put(Workload.terms(), 0.5);
    bounds.put(Workload.bulk(1000), 0.5);
    return bounds;
  }

  private void check(Map<String, List<EndpointMeasurement>> results) {
    BOUNDS.forEach((workload, bound) -> {
      List<EndpointMeasurement> measures = results.get(workload.name());
      if (measures != null) {
        EndpointMeasurement node = measures.getFirst();
        EndpointMeasurement weir = measures.getLast();
        checks.checkAtMost(
            workload.name(),
            "CPU a request, of the coordinating-only node's",
            weir.gatewayCpu() / node.gatewayCpu(),
            bound);
        checks.checkAtMost(
            workload.name(),
            "heap allocated a request, of the coordinating-only node's",
            weir.allocatedKilobytesPerRequest() / node.allocatedKilobytesPerRequest(),
            1);
        if (baseline != null) {
          checks.checkAtMost(
              workload.name(),
              "CPU a request, of the baseline's",
              weir.gatewayCpu() / measures.get(1).gatewayCpu(),
              MAX_OF_BASELINE);
        }
        checks.checkAtMost(workload.name(), "errors", (double) weir.errors(), 0);
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
              EndpointMeasurement warming = new EndpointMeasurement();
              warming.runRound(contenders.get(i), workload, dataNodes, clients, length);
              return warming.gatewayCpu() * 1000;
            });
    for (int round = 1; round <= rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        BenchIndexes.emptyWriteIndex(contenders.getFirst().address(), layout());
        measures.get(i).runRound(contenders.get(i), workload, dataNodes, clients, seconds);
        out.printf(
            "round %d: %s, %s: %.3f CPU-s/1000%n",
            round, workload.name(), contenders.get(i).name(), measures.get(i).gatewayCpu());
      }
    }
    return measures;
  }

  private void measureAllocations(
      List<MeasuredEndpoint> contenders, Map<String, List<EndpointMeasurement>> results)
      throws IOException {
    for (Workload workload : BOUNDS.keySet()) {
      List<EndpointMeasurement> measures = results.get(workload.name());
      for (int i = 0; measures != null && i < contenders.size(); i++) {
        BenchIndexes.emptyWriteIndex(contenders.getFirst().address(), layout());
        measures.get(i).measureAllocations(contenders.get(i), workload, clients, seconds / 2);
      }
    }
  }
}
