package dev.weir.bench.overload;

import dev.weir.bench.BenchClusters;
import dev.weir.bench.BenchIndexes;
import dev.weir.bench.CapacityFinder;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.Workload;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.DataNodeCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Checks that responses under overload take the target time of Little's law: five nodes of which
 * one is stressed, as in the measurements of the automatic queue of Elasticsearch in 2017. Each
 * node has a copy of the only shard, so that a search is one call to one node. The search for the
 * peak is the only warm-up: the run states no CPU time, and a gateway that still compiles takes
 * little of a response time of half a second.
 */
final class TargetTimeRun {
  private static final double TOLERANCE = 0.2;

  /** How much of the time the stressed node stands still: its speed is a third. */
  private static final double STRESS = 2.0 / 3;

  private static final Duration PERIOD = Duration.ofMillis(9);
  private static final int STRESSED_NODE = 2;
  private static final List<Double> LEVELS = List.of(1.5, 3.0);

  private final PrintStream out;
  private final ResultChecks verdicts;
  private final Settings settings;

  /**
   * The sizes.
   *
   * @param steps of the script of a search for each document
   * @param nodesCores the cores on which the nodes run and nothing else; 0 for all cores
   * @param settleSeconds of the same load before each round
   */
  record Settings(
      Duration target,
      int documents,
      int steps,
      int clients,
      int nodesCores,
      double settleSeconds,
      double seconds) {}

  TargetTimeRun(PrintStream out, ResultChecks verdicts, Settings settings) {
    this.out = out;
    this.verdicts = verdicts;
    this.settings = settings;
  }

  void run(BenchClusters clusters) throws IOException {
    ClusterSpec spec =
        ClusterSpec.ofNodes(5)
            .withName("weir-bench-five")
            .mapNodes(node -> node.withHeap("512m"))
            .withoutPlugin()
            .withoutAotCache()
            .withProgress(out::println);
    String queue =
        "admission:\n  queue: {target-response-time: " + settings.target().toMillis() + "ms}\n";
    try (BenchClusters.Lease lease = clusters.lease(spec);
        MeasuredGateway weir = MeasuredGateway.start(lease.cluster().seeds(), queue)) {
      DataNodeCluster cluster = lease.cluster();
      BenchIndexes.load(
          new InetSocketAddress("127.0.0.1", cluster.node(0).httpPort()),
          settings.documents(),
          new BenchIndexes.Layout(1, 4));
      Workload workload = Workload.scriptedWithoutHits(settings.steps());
      CapacityFinder capacity =
          new CapacityFinder(out, weir.address(), workload, settings.clients(), settings.seconds());
      DataNode stressed = cluster.node(STRESSED_NODE);
      stressed.throttle(PERIOD, STRESS);
      List<Long> nodes = cluster.nodes().stream().map(DataNode::pid).toList();
      List<Long> others = List.of(weir.pid(), ProcessHandle.current().pid());
      try (SeparateCores _ = new SeparateCores(nodes, others, settings.nodesCores())) {
        double peak = capacity.findRate();
        for (double level : LEVELS) {
          measure(weir, workload, level, level * peak);
        }
      } finally {
        stressed.resume();
      }
    }
  }

  private void measure(MeasuredGateway weir, Workload workload, double level, double perSecond) {
    OpenLoopLoad.Result seen =
        OpenLoopLoad.run(
            List.of(weir.address()),
            workload,
            new OpenLoopLoad.LoadSchedule(perSecond, settings.settleSeconds(), settings.seconds()),
            60);
    double target = settings.target().toMillis();
    double mean = seen.successes().getMean() / 1000;
    out.printf(
        Locale.ROOT,
        "target %.0f ms, %.0f/s offered: %.0f/s answered, %d refused, %d failed; "
            + "mean %.0f ms, p50 %.0f, p90 %.0f, p99 %.0f%n",
        target,
        perSecond,
        seen.goodput(),
        seen.refused(),
        seen.failed(),
        mean,
        seen.millis(50),
        seen.millis(90),
        seen.millis(99));
    String title = "one of five nodes stressed, load " + level;
    verdicts.checkAtLeast(title, "mean over the target", mean / target, 1 - TOLERANCE);
    verdicts.checkAtMost(title, "mean over the target", mean / target, 1 + TOLERANCE);
    verdicts.checkAtMost(title, "failed", (double) seen.failed(), 0);
    verdicts.checkAtLeast(title, "refused", (double) seen.refused(), 1);
  }
}
