package dev.weir.bench.traffic;

import dev.weir.bench.BenchIndexes;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what clients of one cluster notice when a second one stands behind the same gateway: for
 * nothing, as the shadow of every read, and with every write repeated on it. While reads are
 * measured, for which nobody waits there, the second cluster runs at the lowest priority, in place
 * of machines of its own.
 */
@Command(
    name = "traffic",
    description =
        "A second cluster behind the gateway, all reads or writes repeated on it: who notices")
public final class TrafficBench implements Callable<Integer> {
  private static final String SINGLE_CLUSTER = "one cluster";
  private static final double DEADLINE_SECONDS = 10;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 10;

  @Option(names = "--rounds", description = "rounds of each (default: ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--rate", description = "searches a second (default: ${DEFAULT-VALUE})")
  private double rate = 100;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(names = "--warm-up", description = "seconds for each (default: ${DEFAULT-VALUE})")
  private double warmUp = 10;

  @Option(names = "--bulks", description = "bulks a second (default: ${DEFAULT-VALUE})")
  private double bulkRate = 5;

  @Option(names = "--writes", description = "single writes a second (default: ${DEFAULT-VALUE})")
  private double writeRate = 50;

  @Option(names = "--only", description = "one of ${COMPLETION-CANDIDATES}")
  private Only only = Only.BOTH;

  private final PrintStream out = System.out;
  private final Map<String, GatewayMeasurement> seen = new LinkedHashMap<>();

  /** What is measured. */
  enum Only {
    READS,
    WRITES,
    BOTH
  }

  /** For the command line. */
  public TrafficBench() {}

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .mapNodes(node -> node.withHeap("1g"))
            .withoutPlugin()
            .withoutAotCache()
            .withProgress(out::println);
    try (DataNodeCluster blue = DataNodeCluster.start(spec.withName("weir-bench-blue"));
        DataNodeCluster green = DataNodeCluster.start(spec.withName("weir-bench-green"))) {
      for (DataNodeCluster cluster : List.of(blue, green)) {
        BenchIndexes.load(
            new InetSocketAddress("127.0.0.1", cluster.node(0).httpPort()), documents, 0);
      }
      String one = "clusters:\n  blue: {seeds: [" + seeds(blue) + "]}\n";
      String both = one + "  green: {seeds: [" + seeds(green) + "]}\n";
      if (only != Only.READS) {
        new DualWriteComparison(
                out, new DualWriteComparison.Settings(seconds, rounds, warmUp, bulkRate, writeRate))
            .measure(both);
      }
      if (only != Only.WRITES) {
        for (DataNode node : green.nodes()) {
          lowerPriority(node.pid());
        }
        reads(one, both);
      }
    }
    return 0;
  }

  private void reads(String one, String both) throws IOException {
    try (MeasuredGateway alone = MeasuredGateway.startWithConfig(one);
        MeasuredGateway beside = MeasuredGateway.startWithConfig(both);
        MeasuredGateway shadowed =
            MeasuredGateway.startWithConfig(
                both + "traffic: {shadow: {target-cluster: green, max-in-flight: 64}}\n")) {
      Map<String, MeasuredGateway> gateways = new LinkedHashMap<>();
      gateways.put(SINGLE_CLUSTER, alone);
      gateways.put("a second, for nothing", beside);
      gateways.put("all reads shadowed", shadowed);
      measure(gateways);
      print();
      try (BlockingHttpConnection admin =
          BlockingHttpConnection.withBodies(shadowed.adminAddress())) {
        admin.exchange(Workload.request("GET", "/shadow", ""));
        out.println("shadow report: " + admin.body());
      }
    }
  }

  private static String seeds(DataNodeCluster cluster) {
    return cluster.seeds().stream().map(seed -> '"' + seed + '"').collect(Collectors.joining(", "));
  }

  private static void lowerPriority(long pid) throws IOException {
    Process renice =
        new ProcessBuilder("renice", "-n", "19", "-p", Long.toString(pid))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (renice.waitFor() != 0) {
        throw new IOException("can't lower the priority of process " + pid + " (renice failed)");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void measure(Map<String, MeasuredGateway> gateways) {
    gateways.forEach((name, gateway) -> {
      seen.put(name, new GatewayMeasurement(gateway, of -> run(of, seconds)));
      out.println("warming up: " + name);
      run(gateway, warmUp);
    });
    for (int round = 1; round <= rounds; round++) {
      for (Map.Entry<String, GatewayMeasurement> each : seen.entrySet()) {
        OpenLoopLoad.Result result = each.getValue().runRound();
        out.printf(
            "round %d: %s: p50 %.1f ms, p99 %.1f ms%n",
            round, each.getKey(), result.millis(50), result.millis(99));
      }
    }
  }

  private OpenLoopLoad.Result run(MeasuredGateway gateway, double length) {
    return OpenLoopLoad.run(
        List.of(gateway.address()),
        Workload.search(10),
        new OpenLoopLoad.LoadSchedule(rate, 1, length),
        DEADLINE_SECONDS);
  }

  private void print() {
    out.printf(
        "%n%-24s %8s %8s %7s %14s %7s %13s%n",
        "gateway", "p50 ms", "p99 ms", "ratio", "own CPU us/req", "ratio", "not in time");
    GatewayMeasurement base = seen.get(SINGLE_CLUSTER);
    seen.forEach((name, sees) -> {
      if (base != null) {
        out.printf(
            "%-24s %8.1f %8.1f %7.2f %14.0f %7.2f %13d%n",
            name,
            sees.millis(50),
            sees.millis(99),
            sees.millis(99) / base.millis(99),
            sees.cpuMicrosPerRequest(),
            sees.cpuMicrosPerRequest() / base.cpuMicrosPerRequest(),
            sees.missedDeadlines());
      }
    });
  }
}
