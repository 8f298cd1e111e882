package dev.weir.bench.traffic;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
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
 * Measures the effect of a second cluster behind the same gateway on the searches of the first:
 * while it is unused, and as the shadow of every read. Clients do not wait for the second cluster,
 * so it runs at the lowest priority instead of on machines of its own.
 */
@Command(name = "traffic", description = "latency and CPU of shadow reads on a second cluster")
public final class TrafficBench implements Callable<Integer> {
  private static final String SINGLE_CLUSTER = "one cluster";
  private static final String IDLE_CLUSTER = "a second, idle cluster";
  private static final String SHADOWED = "all reads shadowed";
  private static final double DEADLINE_SECONDS = 10;

  /**
   * The rate of a warm-up, relative to the measured one, at which JVMs take minutes to compile what
   * they run. The data nodes can still serve it, and their shadows too.
   */
  private static final double WARM_UP_RATE = 3;

  /** Rounds of the same load vary by a quarter. */
  private static final double MAX_P99 = 1.25;

  private static final double MAX_IDLE_CPU = 1.1;
  private static final double MAX_SHADOWED_CPU = 2;
  private static final double MIN_COMPARED = 0.95;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 10;

  @Option(names = "--rounds", description = "rounds of each (default: ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--rate", description = "searches a second (default: ${DEFAULT-VALUE})")
  private double rate = 100;

  @Option(names = "--documents", description = "documents searched (default: ${DEFAULT-VALUE})")
  private int documents = 20_000;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each, until the CPU time of a request has stopped falling"
              + " (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  private final PrintStream out = System.out;
  private final Map<String, GatewayMeasurement> seen = new LinkedHashMap<>();

  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  public TrafficBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(1)
            .mapNodes(node -> node.withHeap("1g"))
            .withoutPlugin()
            .withoutAotCache()
            .withProgress(out::println);
    try (BenchClusters.Lease blueLease = clusters.lease(spec.withName("weir-bench-blue"));
        BenchClusters.Lease greenLease = clusters.lease(spec.withName("weir-bench-green"))) {
      DataNodeCluster blue = blueLease.cluster();
      DataNodeCluster green = greenLease.cluster();
      for (DataNodeCluster cluster : List.of(blue, green)) {
        BenchIndexes.load(
            new InetSocketAddress("127.0.0.1", cluster.node(0).httpPort()),
            documents,
            new BenchIndexes.Layout(3, 0));
      }
      String one = "clusters:\n  blue: {seeds: [" + seeds(blue) + "], authorization: none}\n";
      String both = one + "  green: {seeds: [" + seeds(green) + "], authorization: none}\n";
      for (DataNode node : green.nodes()) {
        lowerPriority(node.pid());
      }
      reads(one, both);
    }
    checks.print();
    return checks.exitCode();
  }

  private void reads(String one, String both) throws IOException {
    try (MeasuredGateway alone = MeasuredGateway.startWithConfig(one);
        MeasuredGateway beside = MeasuredGateway.startWithConfig(both);
        MeasuredGateway shadowed =
            MeasuredGateway.startWithConfig(
                both + "traffic: {shadow: {target-cluster: green, max-in-flight: 64}}\n")) {
      Map<String, MeasuredGateway> gateways = new LinkedHashMap<>();
      gateways.put(SINGLE_CLUSTER, alone);
      gateways.put(IDLE_CLUSTER, beside);
      gateways.put(SHADOWED, shadowed);
      warmUp(gateways);
      ShadowOutcomes before = ShadowOutcomes.read(shadowed);
      measure(gateways);
      ShadowOutcomes outcomes = ShadowOutcomes.read(shadowed).since(before);
      print();
      check();
      GatewayMeasurement measured = seen.get(SHADOWED);
      checkShadow(checks, outcomes, measured == null ? Double.NaN : (double) measured.offered());
      try (BlockingHttpConnection admin =
          BlockingHttpConnection.withBodies(shadowed.adminAddress())) {
        admin.exchange(Workload.request("GET", "/shadow", ""));
        out.println("shadow report: " + admin.body());
      }
    }
  }

  /**
   * Checks that reads were repeated: a gateway that repeats none would meet the other bounds.
   *
   * @param reads of clients
   */
  static void checkShadow(ResultChecks checks, ShadowOutcomes outcomes, double reads) {
    checks.checkAtLeast(
        SHADOWED,
        "shadow reads compared, of the searches",
        outcomes.comparedOf(reads),
        MIN_COMPARED);
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

  private void warmUp(Map<String, MeasuredGateway> gateways) throws IOException {
    List<MeasuredGateway> all = List.copyOf(gateways.values());
    new WarmUp(out, seconds, warmUp)
        .run(
            "searches",
            List.copyOf(gateways.keySet()),
            (i, length) -> {
              OpenLoopLoad.LoadSchedule schedule =
                  new OpenLoopLoad.LoadSchedule(WARM_UP_RATE * rate, 0, length);
              GatewayMeasurement warming =
                  new GatewayMeasurement(all.get(i), of -> run(of, schedule));
              warming.runRound();
              return warming.cpuMicrosPerRequest();
            });
  }

  private void measure(Map<String, MeasuredGateway> gateways) {
    gateways.forEach((name, gateway) ->
        seen.put(
            name,
            new GatewayMeasurement(
                gateway, of -> run(of, new OpenLoopLoad.LoadSchedule(rate, 1, seconds)))));
    for (int round = 1; round <= rounds; round++) {
      for (Map.Entry<String, GatewayMeasurement> each : seen.entrySet()) {
        OpenLoopLoad.Result result = each.getValue().runRound();
        out.printf(
            "round %d: %s: p50 %.1f ms, p99 %.1f ms%n",
            round, each.getKey(), result.millis(50), result.millis(99));
      }
    }
  }

  private static OpenLoopLoad.Result run(
      MeasuredGateway gateway, OpenLoopLoad.LoadSchedule schedule) {
    return OpenLoopLoad.run(
        List.of(gateway.address()), Workload.search(10), schedule, DEADLINE_SECONDS);
  }

  private void check() {
    GatewayMeasurement base = seen.get(SINGLE_CLUSTER);
    seen.forEach((name, sees) -> {
      if (base != null) {
        double bound = name.equals(SHADOWED) ? MAX_SHADOWED_CPU : MAX_IDLE_CPU;
        checks.checkAtMost(name, "searches not in time", (double) sees.missedDeadlines(), 0);
        checks.checkAtMost(
            name,
            "own CPU a search, of that with one cluster",
            sees.cpuMicrosPerRequest() / base.cpuMicrosPerRequest(),
            bound);
        checks.checkAtMost(
            name, "p99, of that with one cluster", sees.millis(99) / base.millis(99), MAX_P99);
      }
    });
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
