package dev.weir.bench.dashboards;

import dev.weir.bench.BenchCluster;
import dev.weir.bench.BenchClusters;
import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredEndpoint;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ProcessUsage;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.WarmUp;
import dev.weir.testkit.ClusterSpec;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.dashboards.DashboardAnswer;
import dev.weir.testkit.dashboards.DashboardLogs;
import dev.weir.testkit.dashboards.DashboardRange;
import dev.weir.testkit.dashboards.DashboardRequest;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures dashboards: refusals, equality with a node, CPU time and response times. */
@Command(
    name = "dashboards",
    description = {
      "60 panels of dashboards at the default heap, beside a coordinating-only node",
      "Takes up to 25 minutes: it leaves out rounds when the time is short (--minutes)."
    })
public final class DashboardsBench implements Callable<Integer> {
  private static final int SHOWN = 20;
  private static final int LOG_LINES = 15;

  /** The ratio of panels that a node may leave out and still count as having done the same work. */
  private static final double MAX_UNANSWERED = 0.01;

  /** How often a node is asked again when the gateway's answer differs from its first one. */
  private static final int NODE_REPEATS = 4;

  /** A process whose connections are lost ends within this time. */
  private static final long EXIT_NANOS = 2_000_000_000L;

  @Option(
      names = "--rounds",
      description = "most rounds of each kind; at least one (default: ${DEFAULT-VALUE})")
  private int rounds = 3;

  @Option(
      names = "--minutes",
      description =
          "for the rounds of one number of viewers; no round starts that would probably end later"
              + " (default: ${DEFAULT-VALUE})")
  private double minutes = 3;

  @Option(
      names = "--warm-up",
      description =
          "the most seconds of load for each contender before the first round, until its CPU time a"
              + " panel has stopped falling (default: ${DEFAULT-VALUE})")
  private double warmUp = 360;

  @Option(
      names = "--viewers",
      split = ",",
      description = "viewers at once, one number after the other (default: ${DEFAULT-VALUE})")
  private List<Integer> viewers = List.of(1, 2, 8);

  @Option(names = "--days", description = "daily indices (default: ${DEFAULT-VALUE})")
  private int days = 90;

  @Option(names = "--shards", description = "shards of an index (default: ${DEFAULT-VALUE})")
  private int shards = 2;

  /**
   * Twelve panels of 90 days at once end a node of 2 GB that coordinates them: the
   * coordinating-only node, or the one that gets the panels with scripts, which the gateway passes
   * through.
   */
  @Option(names = "--node-heap", description = "heap of each node (default: ${DEFAULT-VALUE})")
  private String nodeHeap = "4g";

  @Option(
      names = "--lines",
      description = "log lines of each of the last seven days (default: ${DEFAULT-VALUE})")
  private int lines = 30_000;

  @Option(
      names = "--older-lines",
      description = "log lines of each day before (default: ${DEFAULT-VALUE})")
  private int olderLines = 700;

  private final PrintStream out = System.out;
  private final BenchClusters clusters;
  private final ResultChecks checks = new ResultChecks(out);

  public DashboardsBench(BenchClusters clusters) {
    this.clusters = clusters;
  }

  @Override
  public Integer call() throws IOException {
    DashboardLogs logs =
        new DashboardLogs("logs-", days, shards, Math.min(7, days), lines, olderLines);
    ClusterSpec cluster = BenchCluster.spec(out).mapNodes(node -> node.withHeap(nodeHeap));
    try (BenchClusters.Lease lease = clusters.lease(cluster);
        MeasuredGateway gateway = MeasuredGateway.start(lease.cluster().seeds().subList(0, 3))) {
      DataNode coordinator = lease.cluster().node(3);
      MeasuredEndpoint weir = new MeasuredEndpoint("weir", gateway.address(), gateway.pid());
      try (RestClient rest = new RestClient(coordinator.httpUri())) {
        logs.load(rest);
      }
      out.printf("loaded %d lines into %d indices of %d shards%n", logs.lines(), days, shards);
      List<DashboardRequest> requests = compare(coordinator, weir, requests(logs));
      warmUp(new DashboardViewers(requests, 1), coordinator, weir);
      for (int many : viewers) {
        long end = System.nanoTime() + (long) (minutes * 60e9);
        measure(new DashboardViewers(requests, many), coordinator, weir, end);
      }
      for (MeasuredEndpoint contender : List.of(endpoint(coordinator), weir)) {
        out.printf(
            "%s: peak resident memory %d MB%n",
            contender.name(), ProcessUsage.read(contender.pid()).peakResidentBytes() >> 20);
      }
    }
    checks.print();
    return checks.exitCode();
  }

  /** Returns the requests of every range that the indices cover, in turn one by one and batched. */
  private List<DashboardRequest> requests(DashboardLogs logs) {
    return Stream.of(
            DashboardRange.QUARTER_HOUR,
            DashboardRange.SIX_HOURS,
            DashboardRange.DAY,
            DashboardRange.WEEK,
            DashboardRange.MONTH,
            DashboardRange.QUARTER)
        .filter(range -> range.length().toDays() <= days)
        .flatMap(range -> DashboardRequest.of(logs, range, panelsAtOnce(range)).stream())
        .toList();
  }

  private static int panelsAtOnce(DashboardRange range) {
    return range.equals(DashboardRange.DAY) || range.equals(DashboardRange.MONTH)
        ? 1
        : DashboardRequest.DASHBOARD;
  }

  private static MeasuredEndpoint endpoint(DataNode coordinator) {
    return new MeasuredEndpoint("coordinating-only node", address(coordinator), coordinator.pid());
  }

  private static InetSocketAddress address(DataNode node) {
    return new InetSocketAddress("127.0.0.1", node.httpPort());
  }

  /**
   * Compares each answer with the node's. A node that answers in several ways is asked again: the
   * gateway must give one of its answers.
   *
   * @return the requests whose panels the node could answer, all of them
   */
  private List<DashboardRequest> compare(
      DataNode node, MeasuredEndpoint weir, List<DashboardRequest> requests) throws IOException {
    int different = 0;
    List<DashboardRequest> answered = new ArrayList<>();
    List<String> failedByNode = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    try (BlockingHttpConnection through = BlockingHttpConnection.withBodies(weir.address())) {
      for (DashboardRequest request : requests) {
        DashboardAnswer answer = DashboardViewers.send(through, request);
        refused.addAll(answer.failedPanels(request));
        DashboardAnswer expected = ask(node, request);
        if (expected == null || !expected.failedPanels(request).isEmpty()) {
          failedByNode.addAll(
              expected == null ? List.of("all: " + request) : expected.failedPanels(request));
          continue;
        }
        answered.add(request);
        boolean equal = answer.equalsBesideTimes(expected);
        for (int i = 0; !equal && i < NODE_REPEATS; i++) {
          DashboardAnswer again = ask(node, request);
          equal = again != null && answer.equalsBesideTimes(again);
        }
        if (!equal && different++ < SHOWN) {
          out.println("different: " + request + ": " + expected.difference(answer));
        }
      }
    }
    print("one request at a time, weir", refused);
    print("one request at a time, coordinating-only node", failedByNode);
    String title = requests.size() + " requests one by one";
    checks.checkAtMost(title, "panels without a result", (double) refused.size(), 0);
    checks.checkAtMost(title, "answers unlike the node's", different, 0);
    return answered;
  }

  /** Sends a request to the node; null if it gives no answer. Starts it again if it has ended. */
  private @Nullable DashboardAnswer ask(DataNode node, DashboardRequest request) {
    try (BlockingHttpConnection direct = BlockingHttpConnection.withBodies(address(node))) {
      return DashboardViewers.send(direct, request);
    } catch (IOException lost) {
      out.printf("the coordinating-only node gave no answer to %s: %s%n", request, lost);
      LockSupport.parkNanos(EXIT_NANOS);
      restartIfEnded(node);
      return null;
    }
  }

  /** Starts a node again whose process has ended; the last lines of its log say why. */
  private void restartIfEnded(DataNode node) {
    if (node.isAlive()) {
      return;
    }
    out.println("the process of " + node.name() + " has ended; starting it again");
    try {
      List<String> lines = Files.readAllLines(node.log());
      lines.stream()
          .skip(Math.max(0, lines.size() - LOG_LINES))
          .forEach(line -> out.println("  " + line));
    } catch (IOException e) {
      out.println("  its log can't be read: " + e);
    }
    node.start();
  }

  /**
   * Measures both contenders in turn.
   *
   * @param endNanos no further round starts that would probably end after this
   */
  private void measure(
      DashboardViewers load, DataNode coordinator, MeasuredEndpoint weir, long endNanos) {
    long began = System.nanoTime();
    DashboardViewers.Result byNode = runNodeRound(load, coordinator, 1);
    DashboardViewers.Result byWeir = load.runRound(weir, 1);
    int done = 1;
    while (done < rounds && System.nanoTime() + (System.nanoTime() - began) / done - endNanos < 0) {
      done++;
      byNode = byNode.plus(runNodeRound(load, coordinator, done));
      byWeir = byWeir.plus(load.runRound(weir, done));
    }
    out.printf(
        "%d viewers: %d rounds in %.0f s%n",
        load.viewers(), done, (System.nanoTime() - began) / 1e9);
    String title = load.viewers() + (load.viewers() == 1 ? " viewer" : " viewers");
    print(title, "coordinating-only node", byNode);
    print(title, weir.name(), byWeir);
    print(title + ", weir", byWeir.failed());
    print(title + ", coordinating-only node", byNode.failed());
    checks.checkAtMost(title, "panels without a result", (double) byWeir.failed().size(), 0);
    double unanswered = (double) byNode.failed().size() / byNode.panels();
    if (unanswered > MAX_UNANSWERED) {
      out.printf(
          "%s: CPU and p99 are not compared: the coordinating-only node left %.0f %% of the panels"
              + " without a result%n",
          title, unanswered * 100);
      return;
    }
    checks.checkAtMost(
        title,
        "CPU a panel, of the coordinating-only node's",
        byWeir.cpuMillisPerPanel() / byNode.cpuMillisPerPanel(),
        1);
    checks.checkAtMost(
        title, "p99, of the coordinating-only node's", byWeir.millis(99) / byNode.millis(99), 1.25);
  }

  /** Runs a round, and starts the node again if that ended it. */
  private DashboardViewers.Result runNodeRound(
      DashboardViewers load, DataNode coordinator, long seed) {
    DashboardViewers.Result seen = load.runRound(endpoint(coordinator), seed);
    restartIfEnded(coordinator);
    return seen;
  }

  /** A round is all dashboards once, however long that takes. */
  private void warmUp(DashboardViewers load, DataNode coordinator, MeasuredEndpoint weir)
      throws IOException {
    new WarmUp(out, 1, warmUp)
        .run(
            "all panels once",
            List.of("coordinating-only node", weir.name()),
            (i, _) -> {
              DashboardViewers.Result seen =
                  i == 0 ? runNodeRound(load, coordinator, 0) : load.runRound(weir, 0);
              return 1000 * seen.cpuMillisPerPanel();
            });
  }

  private void print(String title, String contender, DashboardViewers.Result seen) {
    out.printf(
        "%s, %s: %d panels, %d without a result; %.2f CPU-ms a panel, p50 %.1f ms, p99 %.1f ms,"
            + " most %.1f ms%n",
        title,
        contender,
        seen.panels(),
        seen.failed().size(),
        seen.cpuMillisPerPanel(),
        seen.millis(50),
        seen.millis(99),
        seen.millis(100));
    Map<String, Integer> errors = new TreeMap<>();
    seen.errors().forEach(error -> errors.merge(error.replaceAll("\\d+", "N"), 1, Integer::sum));
    errors.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .limit(SHOWN)
        .forEach(error -> out.printf("  %d requests: %s%n", error.getValue(), error.getKey()));
  }

  private void print(String title, List<String> failed) {
    Map<String, Integer> counts = new TreeMap<>();
    failed.forEach(panel -> counts.merge(panel, 1, Integer::sum));
    counts.forEach(
        (panel, times) -> out.printf("%s: no result, %d times: %s%n", title, times, panel));
  }
}
