package dev.weir.bench.hotnode;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./weir bench adaptive-selection}: the algorithms that choose a copy, while one of three
 * nodes is slow. Gateways differ in {@code routing.algorithm} alone, and send no second requests,
 * so that the choice of the copy makes the difference. {@link HotNodeBench} compares the gateway as
 * it is with other paths.
 */
@Command(
    name = "adaptive-selection",
    description = "latency and a slow node's share with C3, least-outstanding and round-robin")
public final class AdaptiveSelectionBench implements Callable<Integer> {
  private static final List<NodeFault> FAULTS =
      List.of(NodeFault.NONE, NodeFault.SLOWED, NodeFault.STOPPED);

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 8;

  @Option(names = "--rounds", description = "rounds of each fault (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 16;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 30_000;

  @Option(
      names = "--settle",
      description = "seconds under the fault before each round (default: ${DEFAULT-VALUE})")
  private double settle = 2;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each gateway, until its CPU time a request has stopped"
              + " falling (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(
      names = "--only",
      description = "only faults whose name contains this: healthy, slowed, stopped")
  private String only = "";

  private final PrintStream out = System.out;
  private final ResultChecks checks = new ResultChecks(out);
  private final BenchClusters clusters;

  /** Creates the benchmark. */
  public AdaptiveSelectionBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    List<MeasuredGateway> gateways = new ArrayList<>();
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.specWithFaults(out))) {
      DataNodeCluster cluster = lease.cluster();
      BenchIndexes.load(new InetSocketAddress("127.0.0.1", cluster.node(3).httpPort()), documents);
      List<MeasuredEndpoint> endpoints = new ArrayList<>();
      for (String algorithm : AdaptiveSelectionTable.ALGORITHMS) {
        MeasuredGateway gateway =
            MeasuredGateway.start(
                cluster.seeds().subList(0, 3),
                "routing: {algorithm: %s, hedging: {enabled: false}}%n".formatted(algorithm));
        gateways.add(gateway);
        endpoints.add(new MeasuredEndpoint(algorithm, gateway.address(), gateway.pid()));
      }
      // The node to become slow comes first; it is not the cluster manager.
      measure(List.of(cluster.node(2), cluster.node(0), cluster.node(1)), endpoints);
    } finally {
      gateways.forEach(MeasuredGateway::close);
    }
    checks.print();
    return checks.exitCode();
  }

  private void measure(List<DataNode> nodes, List<MeasuredEndpoint> endpoints) throws IOException {
    List<Long> pids = nodes.stream().map(DataNode::pid).toList();
    new WarmUp(out, seconds, warmUp)
        .run(
            "healthy nodes",
            endpoints.stream().map(MeasuredEndpoint::name).toList(),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    endpoints.get(i), workload(), pids, clients, length));
    printAllocations(endpoints);
    Map<NodeFault, Map<String, HotNodeMeasurement>> results = new LinkedHashMap<>();
    for (NodeFault fault : FAULTS) {
      if (fault.name().contains(only)) {
        Map<String, HotNodeMeasurement> seen = new LinkedHashMap<>();
        endpoints.forEach(endpoint -> seen.put(endpoint.name(), new HotNodeMeasurement()));
        for (int round = 1; round <= rounds; round++) {
          // Every other round runs in reverse, so that a machine that slows down affects all alike.
          for (MeasuredEndpoint endpoint : round % 2 == 1 ? endpoints : endpoints.reversed()) {
            HotNodeMeasurement sees = seen.getOrDefault(endpoint.name(), new HotNodeMeasurement());
            runRound(fault, nodes, endpoint, sees);
            out.printf(
                Locale.ROOT,
                "%s, round %d: %s: %.0f/s, p99 %.1f ms%n",
                fault.name(),
                round,
                endpoint.name(),
                sees.requestsPerSecond(),
                sees.millis(99));
          }
        }
        results.put(fault, seen);
      }
    }
    results.forEach((fault, seen) -> {
      AdaptiveSelectionTable.print(out, fault.name(), seen);
      AdaptiveSelectionTable.check(checks, fault, seen);
    });
  }

  /** Measures what a search allocates in each gateway: a choice allocates nothing. */
  private void printAllocations(List<MeasuredEndpoint> endpoints) {
    for (MeasuredEndpoint endpoint : endpoints) {
      EndpointMeasurement allocations = new EndpointMeasurement();
      allocations.measureAllocations(endpoint, workload(), clients, seconds / 2);
      out.printf(
          Locale.ROOT,
          "%s: %.1f KB of heap a search%n",
          endpoint.name(),
          allocations.allocatedKilobytesPerRequest());
    }
  }

  private void runRound(
      NodeFault fault, List<DataNode> nodes, MeasuredEndpoint endpoint, HotNodeMeasurement seen) {
    Duration whole = Duration.ofMillis((long) ((settle + seconds) * 1000));
    double from;
    double to;
    ShardSearchSampler shares = ShardSearchSampler.start(nodes);
    try (NodeFault.ActiveFault _ = fault.injector().inject(nodes.getFirst(), whole)) {
      ClosedLoopLoad.run(endpoint.addresses(), workload(), clients, settle);
      from = shares.elapsedSeconds();
      long own = ProcessUsage.read(endpoint.pid()).cpuNanos();
      long all = nodesNanos(nodes);
      seen.add(ClosedLoopLoad.run(endpoint.addresses(), workload(), clients, seconds));
      seen.addCpu(ProcessUsage.read(endpoint.pid()).cpuNanos() - own, nodesNanos(nodes) - all);
      to = shares.elapsedSeconds();
    } finally {
      shares.close();
    }
    seen.share(shares.shareBetween(from, to));
  }

  private static long nodesNanos(List<DataNode> nodes) {
    return nodes.stream().mapToLong(node -> ProcessUsage.read(node.pid()).cpuNanos()).sum();
  }

  private static Workload workload() {
    // A partial response would hide a failure; a cached one would skip the work.
    return Workload.search(10, "?allow_partial_search_results=false&request_cache=false");
  }
}
