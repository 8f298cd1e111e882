package dev.weir.bench.overload;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures the goodput of each path under more load than the cluster can serve. */
@Command(
    name = "overload",
    description =
        "goodput under more load than the cluster can serve, and under oversized requests")
public final class OverloadBench implements Callable<Integer> {
  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 6;

  @Option(
      names = "--settle",
      description = "seconds of the same load right before each round (default: ${DEFAULT-VALUE})")
  private double settle = 3;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each path, and of refusals, until the CPU time of a request"
              + " has stopped falling; for flood and slow-node (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(
      names = "--clients",
      description = "clients that find the peak (default: ${DEFAULT-VALUE})")
  private int clients = 20;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 10_000;

  @Option(
      names = "--steps",
      description = "what a search costs: steps of its script (default: ${DEFAULT-VALUE})")
  private int steps = 120;

  @Option(
      names = "--only",
      description =
          "only the parts whose name contains this: flood, slow-node, oversized, stalled, target")
  private String only = "";

  @Option(
      names = "--connections",
      description = "stalled connections that are opened (default: ${DEFAULT-VALUE})")
  private int connections = 100_000;

  @Option(
      names = "--deadline",
      description = "seconds after which a response counts as too late (default: ${DEFAULT-VALUE})")
  private double deadline = 1;

  @Option(
      names = "--nodes-cores",
      description =
          "cores reserved for the data nodes during the flood and the target time; the gateway, the"
              + " coordinating-only node and the clients share the others; 0: all share all"
              + " (default: half)")
  private int nodesCores = CORES / 2;

  @Option(
      names = "--oversized-buckets",
      description = "buckets of the oversized aggregation (default: ${DEFAULT-VALUE})")
  private int oversizedBuckets = 5_000_000;

  @Option(
      names = "--oversized-bulk-mb",
      description = "megabytes of the oversized bulk (default: ${DEFAULT-VALUE})")
  private int oversizedBulkMb = 99;

  @Option(
      names = "--oversized-rounds",
      description = "rounds beside each oversized request (default: ${DEFAULT-VALUE})")
  private int oversizedRounds = 5;

  @Option(
      names = "--target",
      description =
          "target response time of Little's law in milliseconds (default: ${DEFAULT-VALUE})")
  private int targetMillis = 500;

  @Option(
      names = "--target-steps",
      description = "steps of the script for the target response time (default: ${DEFAULT-VALUE})")
  private int targetSteps = 60;

  @Option(
      names = "--target-clients",
      description = "clients that find the peak with a target (default: ${DEFAULT-VALUE})")
  private int targetClients = 60;

  private static final int CORES = Runtime.getRuntime().availableProcessors();

  /**
   * The multiple of the peak rate for the warm-up: high enough that rejections are compiled before
   * they are measured.
   */
  private static final double MANY_TIMES = 25;

  private static final Duration PERIOD = Duration.ofMillis(8);
  private static final double STOPPED = 0.75;
  private static final double BESIDE_SLOW = 0.6;

  private final PrintStream out = System.out;
  private final ResultChecks verdicts = new ResultChecks(System.out);

  private final BenchClusters clusters;

  public OverloadBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    if (part("flood") || part("slow-node") || part("oversized") || part("stalled")) {
      runWithDefaults();
    }
    if (part("target")) {
      TargetTimeRun.Settings settings =
          new TargetTimeRun.Settings(
              Duration.ofMillis(targetMillis),
              documents,
              targetSteps,
              targetClients,
              nodesCores,
              3 * settle,
              3 * seconds);
      new TargetTimeRun(out, verdicts, settings).run(clusters);
    }
    verdicts.print();
    return verdicts.exitCode();
  }

  private void runWithDefaults() throws IOException {
    try (BenchClusters.Lease lease = clusters.lease(BenchCluster.spec(out));
        MeasuredGateway weir = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3))) {
      DataNodeCluster cluster = lease.cluster();
      List<InetSocketAddress> nodes =
          cluster.nodes().stream().map(OverloadBench::address).limit(3).toList();
      InetSocketAddress coordinator = address(cluster.node(3));
      BenchIndexes.load(coordinator, documents);
      List<OverloadEndpoint> doors =
          List.of(
              new OverloadEndpoint(OverloadEndpoint.WEIR, List.of(weir.address()), weir.pid()),
              new OverloadEndpoint(
                  OverloadEndpoint.COORDINATOR, List.of(coordinator), cluster.node(3).pid()),
              new OverloadEndpoint(OverloadEndpoint.PLAIN, nodes, MeasuredEndpoint.NO_PROCESS));
      if (part("flood") || part("slow-node")) {
        List<Long> data = cluster.nodes().stream().limit(3).map(DataNode::pid).toList();
        List<Long> others =
            List.of(weir.pid(), cluster.node(3).pid(), ProcessHandle.current().pid());
        warmUp(doors, data);
        try (SeparateCores _ = new SeparateCores(data, others, nodesCores)) {
          flood(doors, data, new CpuUsageSampler(data, weir.pid()), cluster.node(2));
        }
      }
      if (part("oversized")) {
        try (RestClient rest = new RestClient(cluster.node(0).httpUri())) {
          OversizedRequests.Sizes sizes =
              new OversizedRequests.Sizes(oversizedBuckets, oversizedBulkMb << 20, oversizedRounds);
          new OversizedRequests(out, verdicts, weir, rest, sizes).run(seconds / 2);
        }
      }
      if (part("stalled")) {
        new StalledConnections(out, verdicts, weir).run(connections, seconds);
      }
    }
  }

  private boolean part(String name) {
    return name.contains(only);
  }

  private static InetSocketAddress address(DataNode node) {
    return new InetSocketAddress("127.0.0.1", node.httpPort());
  }

  private void warmUp(List<OverloadEndpoint> doors, List<Long> dataNodes) throws IOException {
    Workload workload = Workload.scripted(steps);
    new WarmUp(out, seconds, warmUp)
        .run(
            workload.name(),
            doors.stream().map(OverloadEndpoint::name).toList(),
            (i, length) ->
                EndpointMeasurement.warmUpRound(
                    doors.get(i).measured(), workload, dataNodes, clients, length));
  }

  /** Overloads every path until its refusals are compiled, too. */
  private void warmUpRefusals(
      List<OverloadEndpoint> doors, List<Double> peaks, EndpointLoad load, List<Long> dataNodes)
      throws IOException {
    new WarmUp(out, seconds, warmUp)
        .run(
            "refusals",
            doors.stream().map(OverloadEndpoint::name).toList(),
            (i, length) -> {
              OverloadEndpoint endpoint = doors.get(i);
              List<Long> pids =
                  endpoint.pid() == MeasuredEndpoint.NO_PROCESS
                      ? dataNodes
                      : List.of(endpoint.pid());
              long before = cpuNanos(pids);
              OpenLoopLoad.Result seen =
                  OpenLoopLoad.run(
                      endpoint.addresses(),
                      load.workload(),
                      new OpenLoopLoad.LoadSchedule(MANY_TIMES * peaks.get(i), 0, length),
                      deadline);
              long answered = seen.onTime() + seen.pastDeadline() + seen.refused();
              return (cpuNanos(pids) - before) / 1e3 / Math.max(1, answered);
            });
  }

  private static long cpuNanos(List<Long> pids) {
    return pids.stream().mapToLong(pid -> ProcessUsage.read(pid).cpuNanos()).sum();
  }

  private void flood(
      List<OverloadEndpoint> doors, List<Long> dataNodes, CpuUsageSampler cores, DataNode slowed)
      throws IOException {
    OverloadEndpoint gateway = doors.getFirst();
    EndpointLoad load =
        new EndpointLoad(
            out,
            Workload.scripted(steps),
            clients,
            new OpenLoopLoad.LoadSchedule(1, settle, seconds),
            deadline);
    if (part("flood")) {
      List<Double> peaks = doors.stream().map(load::findCapacity).toList();
      warmUpRefusals(doors, peaks, load, dataNodes);
      OverloadTable table = new OverloadRun(out, cores, load).run(doors);
      table.print();
      table.check(verdicts);
    }
    if (part("slow-node")) {
      double peak = part("flood") ? load.measureCapacity(gateway) : load.findCapacity(gateway);
      slowed.throttle(PERIOD, STOPPED);
      OpenLoopLoad.Result seen;
      try {
        seen = load.send(gateway, BESIDE_SLOW * peak);
      } finally {
        slowed.resume();
      }
      String title = "one node at a quarter of its speed, load " + BESIDE_SLOW;
      verdicts.checkAtMost(title, "refused", (double) seen.refused(), 0);
      verdicts.checkAtLeast(
          title, "in time, of the offered", (double) seen.onTime() / seen.offered(), 0.99);
    }
  }
}
