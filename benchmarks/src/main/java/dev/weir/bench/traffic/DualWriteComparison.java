package dev.weir.bench.traffic;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Measures the cost of dual writes for clients and the gateway, in comparison with the same writes
 * to one of the two clusters. Used once.
 */
final class DualWriteComparison {
  private static final int DOCUMENTS = 100;
  private static final double DEADLINE_SECONDS = 10;
  private static final double MAX_CPU = 3;

  private final PrintStream out;
  private final Settings settings;
  private final List<WriteLoad> loads;
  private final Map<WriteLoad, MeasurementPair> measurements = new LinkedHashMap<>();

  /**
   * The settings of the measurement.
   *
   * @param seconds the length of a round
   * @param maxWarmUp seconds of load for each gateway and kind of write before the first round, if
   *     its CPU time a write falls for so long
   * @param bulks per second
   * @param writes of single documents per second
   */
  record Settings(double seconds, int rounds, double maxWarmUp, double bulks, double writes) {}

  private record WriteLoad(Workload workload, double perSecond) {}

  /** The measurements of one load, without and with a second cluster. */
  private record MeasurementPair(GatewayMeasurement singleCluster, GatewayMeasurement dualWrite) {}

  DualWriteComparison(PrintStream out, Settings terms) {
    this.out = out;
    this.settings = terms;
    String document = Workload.generateDocument(new Random(1), 1);
    this.loads =
        List.of(
            new WriteLoad(Workload.bulk(DOCUMENTS), terms.bulks()),
            new WriteLoad(
                Workload.ofPost("index request", "/bench-write/_doc", n -> document),
                terms.writes()));
  }

  /**
   * Measures and prints.
   *
   * @param clusters the configuration section {@code clusters}, with blue and green
   */
  void measure(String clusters, ResultChecks checks) throws IOException {
    try (ScratchFolder log = ScratchFolder.create("weir-bench-repair-");
        MeasuredGateway once = MeasuredGateway.startWithConfig(clusters);
        MeasuredGateway twice =
            MeasuredGateway.startWithConfig(
                clusters
                    + "traffic: {dual-writes: {target-cluster: green, repair-log-directory: \""
                    + log.path()
                    + "\"}}\n")) {
      for (WriteLoad load : loads) {
        warmUp(load, once, twice);
        measurements.put(
            load,
            new MeasurementPair(
                new GatewayMeasurement(once, gateway -> run(gateway, load, settings.seconds())),
                new GatewayMeasurement(twice, gateway -> run(gateway, load, settings.seconds()))));
      }
      for (int round = 1; round <= settings.rounds(); round++) {
        for (Map.Entry<WriteLoad, MeasurementPair> each : measurements.entrySet()) {
          printRound(round, each.getKey(), "once", each.getValue().singleCluster().runRound());
          printRound(round, each.getKey(), "twice", each.getValue().dualWrite().runRound());
        }
      }
      for (MeasurementPair pair : measurements.values()) {
        pair.singleCluster().measureAllocations();
        pair.dualWrite().measureAllocations();
      }
      print();
      printOutcomes(twice);
      measurements.forEach((load, pair) -> {
        GatewayMeasurement dual = pair.dualWrite();
        String title = load.workload().name() + " to two clusters";
        checks.checkAtMost(title, "writes not in time", (double) dual.missedDeadlines(), 0);
        checks.checkAtMost(
            title,
            "own CPU a write, of that to one cluster",
            dual.cpuMicrosPerRequest() / pair.singleCluster().cpuMicrosPerRequest(),
            MAX_CPU);
      });
    }
  }

  private void warmUp(WriteLoad load, MeasuredGateway once, MeasuredGateway twice)
      throws IOException {
    WriteLoad faster = new WriteLoad(load.workload(), TrafficBench.WARM_UP_RATE * load.perSecond());
    new WarmUp(out, settings.seconds(), settings.maxWarmUp())
        .run(
            load.workload().name(),
            List.of("once", "twice"),
            (i, length) -> {
              GatewayMeasurement warming =
                  new GatewayMeasurement(
                      i == 0 ? once : twice, gateway -> run(gateway, faster, length));
              warming.runRound();
              return warming.cpuMicrosPerRequest();
            });
  }

  private static OpenLoopLoad.Result run(MeasuredGateway gateway, WriteLoad load, double seconds) {
    return OpenLoopLoad.run(
        List.of(gateway.address()),
        load.workload(),
        new OpenLoopLoad.LoadSchedule(load.perSecond(), 0, seconds),
        DEADLINE_SECONDS);
  }

  private void printRound(int round, WriteLoad load, String times, OpenLoopLoad.Result result) {
    out.printf(
        "round %d: %s, written %s: p50 %.1f ms, p99 %.1f ms%n",
        round, load.workload().name(), times, result.millis(50), result.millis(99));
  }

  private void print() {
    out.printf(
        "%n%-14s %-13s %8s %8s %6s %14s %6s %14s %6s %12s%n",
        "write",
        "to",
        "p50 ms",
        "p99 ms",
        "ratio",
        "own CPU us/req",
        "ratio",
        "heap bytes/req",
        "ratio",
        "not in time");
    measurements.forEach((load, pair) -> {
      row(load, "one cluster", pair.singleCluster(), pair.singleCluster());
      row(load, "two clusters", pair.dualWrite(), pair.singleCluster());
    });
  }

  private void row(WriteLoad load, String to, GatewayMeasurement sees, GatewayMeasurement base) {
    out.printf(
        "%-14s %-13s %8.1f %8.1f %6.2f %14.0f %6.2f %14.0f %6.2f %12d%n",
        load.workload().name(),
        to,
        sees.millis(50),
        sees.millis(99),
        sees.millis(99) / base.millis(99),
        sees.cpuMicrosPerRequest(),
        sees.cpuMicrosPerRequest() / base.cpuMicrosPerRequest(),
        sees.allocatedBytesPerRequest(),
        sees.allocatedBytesPerRequest() / base.allocatedBytesPerRequest(),
        sees.missedDeadlines());
  }

  /** Prints the outcomes of the second writes: the figures are meaningless if those failed. */
  private void printOutcomes(MeasuredGateway gateway) throws IOException {
    try (BlockingHttpConnection admin = BlockingHttpConnection.withBodies(gateway.adminAddress())) {
      admin.exchange(Workload.request("GET", "/metrics", ""));
      admin
          .body()
          .lines()
          .filter(line -> line.startsWith("weir_dual_writes_total"))
          .forEach(out::println);
    }
  }
}
