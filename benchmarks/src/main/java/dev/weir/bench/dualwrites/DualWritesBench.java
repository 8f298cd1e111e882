package dev.weir.bench.dualwrites;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.EndpointMeasurement;
import dev.weir.bench.GatewayCounts;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.process.ScratchFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Measures what dual writes cost, and what their intent log adds: writes into one cluster, and into
 * two without an intent log, with one, and with one that is flushed to disk.
 */
@Command(
    name = "dual-writes",
    description = "CPU and latency of writes to one cluster, and to two with and without intents")
public final class DualWritesBench implements Callable<Integer> {
  private static final BenchIndexes.Layout LAYOUT = new BenchIndexes.Layout(3, 0);

  /** Of a dual write, relative to a write into one cluster. */
  private static final double MAX_COST = 3;

  /** Of a dual write with intents, relative to one without. */
  private static final double MAX_INTENT_COST = 1.1;

  @Option(names = "--seconds", description = "length of a round (default: ${DEFAULT-VALUE})")
  private double seconds = 6;

  @Option(names = "--rounds", description = "rounds of each path (default: ${DEFAULT-VALUE})")
  private int rounds = 4;

  @Option(names = "--clients", description = "concurrent clients (default: ${DEFAULT-VALUE})")
  private int clients = 8;

  @Option(names = "--documents", description = "in a bulk (default: ${DEFAULT-VALUE})")
  private int documents = 100;

  @Option(
      names = "--warm-up",
      description = "the most seconds of load for each path before (default: ${DEFAULT-VALUE})")
  private double warmUp = 120;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  /** Creates the command. */
  public DualWritesBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  /** How a gateway writes. */
  private enum Mode {
    ONE_CLUSTER("one cluster"),
    NO_INTENTS("two clusters"),
    INTENTS("two, intent log"),
    SYNCED_INTENTS("two, intent log with sync");

    private final String title;

    Mode(String title) {
      this.title = title;
    }

    /**
     * Returns the configuration.
     *
     * @param folder for the logs
     */
    String sections(List<String> blue, List<String> green, String folder) {
      String sections =
          """
          clusters:
            blue: {seeds: %s, authorization: none}
            green: {seeds: %s, authorization: none}
          traffic:
            weights: {blue: 1}
          """
              .formatted(quoted(blue), quoted(green));
      if (this == ONE_CLUSTER) {
        return sections;
      }
      String dual =
          "  dual-writes:\n    target-cluster: green\n    repair-log-directory: \"%s/repair\"\n"
              .formatted(folder);
      String intents =
          this == NO_INTENTS
              ? ""
              : "    intent-log: {directory: \"%s/intents\", sync: %b}\n"
                  .formatted(folder, this == SYNCED_INTENTS);
      return sections + dual + intents;
    }

    private static String quoted(List<String> seeds) {
      return "[\"" + String.join("\", \"", seeds) + "\"]";
    }
  }

  /** A gateway in one mode. */
  private static final class Contender {
    private final Mode mode;
    private final MeasuredGateway gateway;
    private final MeasuredEndpoint endpoint;
    private EndpointMeasurement measured = new EndpointMeasurement();
    private long missing;

    Contender(Mode mode, MeasuredGateway gateway) {
      this.mode = mode;
      this.gateway = gateway;
      endpoint = new MeasuredEndpoint(mode.title, gateway.address(), gateway.pid());
    }

    void reset() {
      measured = new EndpointMeasurement();
      missing = 0;
    }
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
        BenchClusters.Lease greenLease = clusters.lease(spec.withName("weir-bench-green"));
        ScratchFolder logs = ScratchFolder.create("weir-bench-dual-")) {
      DataNodeCluster blue = blueLease.cluster();
      DataNodeCluster green = greenLease.cluster();
      BenchIndexes.load(address(blue), 0, LAYOUT);
      BenchIndexes.load(address(green), 0, LAYOUT);
      try (MeasuredGateway once = start(Mode.ONE_CLUSTER, blue, green, logs);
          MeasuredGateway twice = start(Mode.NO_INTENTS, blue, green, logs);
          MeasuredGateway logging = start(Mode.INTENTS, blue, green, logs);
          MeasuredGateway syncing = start(Mode.SYNCED_INTENTS, blue, green, logs)) {
        measure(
            List.of(
                new Contender(Mode.ONE_CLUSTER, once),
                new Contender(Mode.NO_INTENTS, twice),
                new Contender(Mode.INTENTS, logging),
                new Contender(Mode.SYNCED_INTENTS, syncing)),
            blue,
            green);
      }
    }
    checks.print();
    return checks.exitCode();
  }

  private static MeasuredGateway start(
      Mode mode, DataNodeCluster blue, DataNodeCluster green, ScratchFolder logs)
      throws IOException {
    String own = logs.path().resolve(mode.name()).toString();
    return MeasuredGateway.startWithConfig(mode.sections(blue.seeds(), green.seeds(), own));
  }

  private void measure(List<Contender> contenders, DataNodeCluster blue, DataNodeCluster green)
      throws IOException {
    String document = Workload.generateDocument(new Random(documents), 1);
    List<Workload> workloads =
        List.of(
            Workload.ofPost("one document", "/" + Workload.WRITE_INDEX + "/_doc", n -> document),
            Workload.bulk(documents));
    for (Workload workload : workloads) {
      measure(workload, contenders, blue, green);
      print(workload, contenders);
      check(workload, contenders);
    }
    checkIntents(contenders);
  }

  private static InetSocketAddress address(DataNodeCluster cluster) {
    return new InetSocketAddress("127.0.0.1", cluster.node(0).httpPort());
  }

  private void measure(
      Workload workload, List<Contender> contenders, DataNodeCluster blue, DataNodeCluster green)
      throws IOException {
    List<Long> nodes =
        Stream.concat(blue.nodes().stream(), green.nodes().stream()).map(DataNode::pid).toList();
    new WarmUp(out, seconds, warmUp)
        .run(
            workload.name(),
            contenders.stream().map(each -> each.mode.title).toList(),
            (i, length) -> {
              emptyIndices(blue, green);
              return EndpointMeasurement.warmUpRound(
                  contenders.get(i).endpoint, workload, nodes, clients, length);
            });
    contenders.forEach(Contender::reset);
    for (int round = 0; round < rounds; round++) {
      // Every other round runs in reverse, so that a machine that slows down affects all alike.
      for (Contender each : round % 2 == 0 ? contenders : contenders.reversed()) {
        emptyIndices(blue, green);
        each.measured.runRound(each.endpoint, workload, nodes, clients, seconds);
        if (each.mode != Mode.ONE_CLUSTER) {
          each.missing += Math.abs(count(blue) - count(green));
        }
      }
    }
    for (Contender each : contenders) {
      emptyIndices(blue, green);
      each.measured.measureAllocations(each.endpoint, workload, clients, seconds / 2);
    }
  }

  private static void emptyIndices(DataNodeCluster blue, DataNodeCluster green) throws IOException {
    BenchIndexes.emptyWriteIndex(address(blue), LAYOUT);
    BenchIndexes.emptyWriteIndex(address(green), LAYOUT);
  }

  private static long count(DataNodeCluster cluster) {
    return BenchIndexes.count(cluster.rest(), Workload.WRITE_INDEX);
  }

  private void print(Workload workload, List<Contender> contenders) {
    out.printf(
        "%n%-16s %-26s %11s %8s %8s %15s %13s %8s %12s%n",
        "workload",
        "writes to",
        "requests/s",
        "p50 ms",
        "p99 ms",
        "gateway CPU-ms",
        "nodes CPU-ms",
        "heap KB",
        "not in both");
    for (Contender each : contenders) {
      out.printf(
          Locale.ROOT,
          "%-16s %-26s %11.0f %8.1f %8.1f %15.3f %13.3f %8.1f %12d%n",
          workload.name(),
          each.mode.title,
          each.measured.requestsPerSecond(),
          each.measured.millis(50),
          each.measured.millis(99),
          each.measured.gatewayCpu(),
          each.measured.nodesCpu(),
          each.measured.allocatedKilobytesPerRequest(),
          each.missing);
    }
    out.println();
  }

  private void check(Workload workload, List<Contender> contenders) {
    EndpointMeasurement one = contenders.get(Mode.ONE_CLUSTER.ordinal()).measured;
    EndpointMeasurement plain = contenders.get(Mode.NO_INTENTS.ordinal()).measured;
    EndpointMeasurement intents = contenders.get(Mode.INTENTS.ordinal()).measured;
    checks.checkAtMost(
        workload.name() + ", two clusters beside one",
        "CPU of the gateway",
        plain.gatewayCpu() / one.gatewayCpu(),
        MAX_COST);
    String title = workload.name() + ", intent log beside none";
    checks.checkAtMost(
        title, "CPU of the gateway", intents.gatewayCpu() / plain.gatewayCpu(), MAX_INTENT_COST);
    checks.checkAtMost(title, "p50", intents.millis(50) / plain.millis(50), MAX_INTENT_COST);
    checks.checkAtMost(title, "p99", intents.millis(99) / plain.millis(99), MAX_INTENT_COST);
    for (Contender each : contenders) {
      checks.checkSuccesses(workload.name(), each.mode.title, each.measured.errors());
      checks.checkAtMost(
          workload.name(),
          each.mode.title + ", documents that one cluster lacks",
          (double) each.missing,
          0);
    }
  }

  /** Checks that the log took the writes: a cheap log that takes none would meet the bounds. */
  private void checkIntents(List<Contender> contenders) {
    for (Contender each : contenders) {
      boolean expected = each.mode == Mode.INTENTS || each.mode == Mode.SYNCED_INTENTS;
      try (GatewayCounts counts = new GatewayCounts(each.gateway)) {
        long taken = counts.sum("intents");
        checks.checkTrue(
            each.mode.title,
            "%d writes have an intent (expected: %s)".formatted(taken, expected ? "some" : "none"),
            taken > 0 == expected);
      }
    }
  }
}
