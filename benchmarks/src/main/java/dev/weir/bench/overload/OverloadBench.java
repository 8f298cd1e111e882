package dev.weir.bench.overload;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.CapacityFinder;
import dev.weir.bench.ClosedLoopLoad;
import dev.weir.bench.CpuAffinity;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ResultChecks;
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

/** Measures what is left of each path's work when more is asked for than the cluster can do. */
@Command(
    name = "overload",
    description = "More than the cluster can do, and requests that are too big: who still answers")
public final class OverloadBench implements Callable<Integer> {
  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 6;

  @Option(
      names = "--settle",
      description = "seconds of the same load right before each round (default: ${DEFAULT-VALUE})")
  private double settle = 3;

  @Option(names = "--warm-up", description = "seconds for each path (default: ${DEFAULT-VALUE})")
  private double warmUp = 20;

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
      description = "only the parts whose name has this in it: flood, slow-node, monsters, crowd")
  private String only = "";

  @Option(
      names = "--connections",
      description = "connections that the crowd opens (default: ${DEFAULT-VALUE})")
  private int connections = 100_000;

  @Option(
      names = "--deadline",
      description = "seconds after which an answer is worth nothing (default: ${DEFAULT-VALUE})")
  private double deadline = 1;

  @Option(
      names = "--nodes-cores",
      description =
          "of the machine's cores, so many are for the data nodes in the flood, and the others for"
              + " gateway, coordinating-only node and clients, as if they had machines of their"
              + " own; 0: all share all (default: half of them)")
  private int nodesCores = CORES / 2;

  private static final int CORES = Runtime.getRuntime().availableProcessors();

  /** Of the peak: so much that refusals are compiled, too, before they are measured. */
  private static final double MANY_TIMES = 25;

  private static final Duration PERIOD = Duration.ofMillis(8);
  private static final double STOPPED = 0.75;
  private static final double BESIDE_SLOW = 0.6;

  private final PrintStream out = System.out;
  private final ResultChecks verdicts = new ResultChecks(System.out);

  /** For the command line. */
  public OverloadBench() {}

  @Override
  public Integer call() throws IOException {
    try (DataNodeCluster cluster = DataNodeCluster.start(BenchCluster.spec(out));
        MeasuredGateway weir = MeasuredGateway.start(cluster.seeds().subList(0, 3))) {
      List<InetSocketAddress> nodes =
          cluster.nodes().stream().map(OverloadBench::address).limit(3).toList();
      InetSocketAddress coordinator = address(cluster.node(3));
      BenchIndexes.load(coordinator, documents);
      OverloadEndpoint gateway =
          new OverloadEndpoint(OverloadEndpoint.WEIR, List.of(weir.address()));
      List<OverloadEndpoint> doors =
          List.of(
              gateway,
              new OverloadEndpoint(OverloadEndpoint.COORDINATOR, List.of(coordinator)),
              new OverloadEndpoint(OverloadEndpoint.PLAIN, nodes));
      if (part("flood") || part("slow-node")) {
        List<Long> data = cluster.nodes().stream().limit(3).map(DataNode::pid).toList();
        List<Long> others =
            List.of(weir.pid(), cluster.node(3).pid(), ProcessHandle.current().pid());
        warmUp(doors);
        boolean apart = nodesCores > 0 && nodesCores < CORES;
        if (apart) {
          confine(data, 0, nodesCores);
          confine(others, nodesCores, CORES - nodesCores);
        }
        flood(gateway, doors, new CpuUsageSampler(data, weir.pid()), cluster.node(2));
        if (apart) {
          confine(data, 0, CORES);
          confine(others, 0, CORES);
        }
      }
      if (part("monsters")) {
        try (RestClient rest = new RestClient(cluster.node(0).httpUri())) {
          new OversizedRequests(out, verdicts, weir, rest).run(seconds / 2);
        }
      }
      if (part("crowd")) {
        new StalledConnections(out, verdicts, weir).run(connections, seconds);
      }
    }
    verdicts.print();
    return 0;
  }

  private static void confine(List<Long> pids, int first, int count) throws IOException {
    for (long pid : pids) {
      CpuAffinity.pinProcess(pid, first, count);
    }
  }

  private boolean part(String name) {
    return name.contains(only);
  }

  private static InetSocketAddress address(DataNode node) {
    return new InetSocketAddress("127.0.0.1", node.httpPort());
  }

  private void warmUp(List<OverloadEndpoint> doors) {
    for (OverloadEndpoint door : doors) {
      out.println("warming up: " + door.name());
      ClosedLoopLoad.run(door.addresses().getFirst(), Workload.scripted(steps), clients, warmUp);
    }
  }

  private void flood(
      OverloadEndpoint gateway,
      List<OverloadEndpoint> doors,
      CpuUsageSampler cores,
      DataNode slowed) {
    Workload workload = Workload.scripted(steps);
    CapacityFinder capacity =
        new CapacityFinder(out, gateway.addresses().getFirst(), workload, clients, seconds);
    double peak = capacity.findRate();
    OverloadRun flood =
        new OverloadRun(
            out,
            cores,
            workload,
            capacity,
            new OpenLoopLoad.LoadSchedule(1, settle, seconds),
            deadline);
    if (part("flood")) {
      out.println("warming up: refusals");
      flood.runRound(gateway, MANY_TIMES * peak);
      OverloadTable table = flood.run(gateway, doors.subList(1, doors.size()));
      table.print();
      table.check(verdicts);
      peak = capacity.runRound();
    }
    if (part("slow-node")) {
      slowed.throttle(PERIOD, STOPPED);
      OpenLoopLoad.Result seen;
      try {
        seen = flood.runRound(gateway, BESIDE_SLOW * peak);
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
