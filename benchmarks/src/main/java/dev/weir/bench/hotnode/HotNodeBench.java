package dev.weir.bench.hotnode;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.HaproxyProcess;
import dev.weir.bench.MeasuredGateway;
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
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures how one faulty node of three affects the clients of each path. */
@Command(
    name = "hot-node",
    description = "latency while one of three data nodes stops, slows, pauses, fails, recovers")
public final class HotNodeBench implements Callable<Integer> {
  private static final double FAIR_SHARE = 1.0 / 3;
  private static final double RECOVERED_RATIO = 0.8;
  private static final double DETECTION_SECONDS = 1;

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
          "the most seconds of load for each path, until its CPU time a request has stopped falling"
              + " (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(names = "--only", description = "only faults whose name contains this")
  private String only = "";

  private final PrintStream out = System.out;
  private final Map<NodeFault, Map<HotNodeEndpoint, HotNodeMeasurement>> results =
      new LinkedHashMap<>();

  private final BenchClusters clusters;

  public HotNodeBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.specWithFaults(out));
        MeasuredGateway weir = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3));
        MeasuredGateway leastOutstanding =
            MeasuredGateway.start(
                lease.cluster().seeds().subList(0, 3),
                "routing:\n  algorithm: least-outstanding\n");
        @Nullable HaproxyProcess haproxy =
            HaproxyProcess.start(lease.cluster().nodes().subList(0, 3))) {
      DataNodeCluster cluster = lease.cluster();
      List<DataNode> nodes = faultyNodeFirst(cluster.nodes());
      InetSocketAddress coordinator =
          new InetSocketAddress("127.0.0.1", cluster.node(3).httpPort());
      BenchIndexes.load(coordinator, documents);
      List<HotNodeEndpoint> paths = new ArrayList<>();
      paths.add(
          new HotNodeEndpoint(
              HotNodeEndpoint.COORDINATING_NODE, coordinator, cluster.node(3).pid(), ""));
      if (haproxy == null) {
        out.println("not measured: HAProxy; it is not installed");
      } else {
        paths.add(
            new HotNodeEndpoint(HotNodeEndpoint.HAPROXY, haproxy.address(), haproxy.pid(), ""));
      }
      paths.add(
          new HotNodeEndpoint(
              HotNodeEndpoint.LEAST_OUTSTANDING,
              leastOutstanding.address(),
              leastOutstanding.pid(),
              ""));
      paths.add(new HotNodeEndpoint(HotNodeEndpoint.WEIR, weir.address(), weir.pid(), ""));
      paths.add(
          new HotNodeEndpoint(
              HotNodeEndpoint.ORACLE,
              weir.address(),
              weir.pid(),
              "&preference=" + onlyNodes(nodes)));
      warmUp(nodes, paths);
      measure(nodes, paths);
    }
    HotNodeTable.print(out, results);
    ResultChecks checks = new ResultChecks(out);
    HotNodeTable.check(checks, results);
    checks.print();
    return checks.exitCode();
  }

  /**
   * Returns the three data nodes, the one to become faulty first; it is not the cluster manager.
   */
  private static List<DataNode> faultyNodeFirst(List<DataNode> all) {
    return List.of(all.get(2), all.get(0), all.get(1));
  }

  private static String onlyNodes(List<DataNode> nodes) {
    return "_only_nodes:"
        + nodes.stream().skip(1).map(DataNode::id).collect(Collectors.joining(","));
  }

  /**
   * Warms up with healthy nodes: no CPU time is stated here, but a path that still compiles has a
   * longer latency and less throughput on a machine that it shares with the nodes.
   */
  private void warmUp(List<DataNode> nodes, List<HotNodeEndpoint> paths) throws IOException {
    List<Long> pids = nodes.stream().map(DataNode::pid).toList();
    new WarmUp(out, seconds, warmUp)
        .run(
            "healthy nodes",
            paths.stream().map(HotNodeEndpoint::name).toList(),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    paths.get(i).measured(), workload(paths.get(i)), pids, clients, length));
  }

  private void measure(List<DataNode> nodes, List<HotNodeEndpoint> paths) {
    for (NodeFault fault : NodeFault.ALL) {
      if (!fault.name().contains(only)) {
        continue;
      }
      Map<HotNodeEndpoint, HotNodeMeasurement> seen = new LinkedHashMap<>();
      paths.forEach(path -> seen.put(path, new HotNodeMeasurement()));
      results.put(fault, seen);
      for (int round = 1; round <= rounds; round++) {
        int number = round;
        seen.forEach((path, sees) -> {
          runRound(fault, nodes, path, sees);
          out.printf(
              "%s, round %d: %s: %.0f/s, p99 %.1f ms%n",
              fault.name(), number, path.name(), sees.requestsPerSecond(), sees.millis(99));
        });
      }
    }
  }

  private void runRound(
      NodeFault fault, List<DataNode> nodes, HotNodeEndpoint path, HotNodeMeasurement seen) {
    Workload workload = workload(path);
    Duration whole = Duration.ofMillis((long) ((settle + seconds) * 1000));
    double from;
    double to;
    ShardSearchSampler shares = ShardSearchSampler.start(nodes);
    try (NodeFault.ActiveFault _ = fault.injector().inject(nodes.getFirst(), whole)) {
      ClosedLoopLoad.run(path.address(), workload, clients, settle);
      from = shares.elapsedSeconds();
      seen.add(ClosedLoopLoad.run(path.address(), workload, clients, seconds));
      to = shares.elapsedSeconds();
    } finally {
      shares.close();
    }
    // A failing node must be avoided within a second, and not only after the round has settled.
    double since = fault.equals(NodeFault.FAILING) ? Math.min(from, DETECTION_SECONDS) : from;
    seen.share(shares.shareBetween(since, to));
    if (fault.equals(NodeFault.RECOVERING)) {
      double well = (settle + seconds) / 2;
      seen.addRecovery(
          shares.secondsUntilShare(RECOVERED_RATIO * FAIR_SHARE, well),
          shares.peakShare(well) / FAIR_SHARE);
    }
  }

  private static Workload workload(HotNodeEndpoint path) {
    // A partial response would hide a failure; a cached one would skip the work.
    return Workload.search(
        10, "?allow_partial_search_results=false&request_cache=false" + path.parameters());
  }
}
