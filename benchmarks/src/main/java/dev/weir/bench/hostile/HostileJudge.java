package dev.weir.bench.hostile;

import dev.weir.bench.InFlightStats;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.hostile.HostileRequest;
import dev.weir.testkit.hostile.NeighbourSearches;
import dev.weir.testkit.hostile.NeighbourSearches.Figures;
import dev.weir.testkit.hostile.ProcessFootprint;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Judges what hostile clients do to a gateway: to its process, to a neighbour's searches, and to
 * what it holds afterwards. Where a neighbour has to wait, the same clients turn to a coordinating
 * node: the gateway must not be worse. A node that ends is started again. Confined to one thread.
 */
final class HostileJudge {
  private static final double MAX_RATIO_TO_CALM = 3;
  private static final double MAX_RATIO_TO_NODE = 1.25;
  private static final double MAX_MILLIS = 2_000;
  private static final double MAX_HEAP_GROWTH_MB = 32;
  private static final double MAX_ADDED_THREADS = 80;
  private static final double MAX_ADDED_DESCRIPTORS = 300;
  private static final double MAX_LOG_LINES = 20_000;
  private static final double UNBOUNDED = Double.POSITIVE_INFINITY;
  private static final int SUCCESS = 200;
  private static final long JOIN_NANOS = 60_000_000_000L;
  private static final int WARM_UP_ROUNDS = 3;

  /** Pools of arrays give back what they have not needed for two intervals of ten seconds. */
  private static final long SETTLE_NANOS = 25_000_000_000L;

  private static final long CASE_END_NANOS = 100_000_000;

  /** The name in {@code /stats} of what may be left of hostile clients. */
  private static final String CONNECTIONS = "connections";

  private final PrintStream out;
  private final ResultChecks checks;
  private final MeasuredGateway gateway;
  private final List<DataNode> nodes;
  private final DataNode coordinator;
  private final long deadlineNanos;
  private double calmMillis = Double.NaN;
  private ProcessFootprint footprint = new ProcessFootprint(0, 0);
  private long heapBytes;
  private long lost;
  private int leftOut;
  private int endedNodes;

  /**
   * Creates a judge.
   *
   * @param nodes the data nodes, and last the coordinating node to compare with
   * @param deadlineNanos sends no more from then on, by {@link System#nanoTime}
   */
  HostileJudge(
      PrintStream out,
      ResultChecks checks,
      MeasuredGateway gateway,
      List<DataNode> nodes,
      long deadlineNanos) {
    this.out = out;
    this.checks = checks;
    this.gateway = gateway;
    this.nodes = nodes;
    this.coordinator = nodes.getLast();
    this.deadlineNanos = deadlineNanos;
  }

  /** Measures the neighbour and the process before any hostile client. */
  void measureCalm(double seconds) {
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      try (NeighbourSearches neighbour = NeighbourSearches.start(gateway.address())) {
        LockSupport.parkNanos((long) (seconds * 1e9));
        calmMillis = neighbour.stop().millis(99);
      }
    }
    heapBytes = ProcessFootprint.usedHeapAfterCollection(gateway.pid());
    footprint = ProcessFootprint.read(gateway.pid());
    out.printf(
        "calm: neighbour's p99 %.1f ms, heap %d MB, %s%n", calmMillis, heapBytes >> 20, footprint);
  }

  /**
   * Runs hostile clients of several kinds beside one neighbour, and adds the checks of them all.
   */
  void judge(String title, List<HostileCase> cases) {
    if (!isAlive() || cases.isEmpty()) {
      return;
    }
    int leftOutBefore = leftOut;
    Figures got = attack(gateway.address(), cases, true);
    checks.checkAtMost(
        title, "kinds of requests left out for lack of time", leftOut - leftOutBefore, 0);
    print(title, "the gateway", got);
    if (!isAlive()) {
      checks.checkTrue(title, "the gateway's process lives", false);
      return;
    }
    checks.checkAtMost(title, "processes of nodes that ended", endedNodes, 0);
    double mostP99 = MAX_RATIO_TO_CALM * calmMillis;
    double mostMillis = MAX_MILLIS;
    double mostFailed = 0;
    if (got.millis(99) > mostP99 || got.millis(100) > mostMillis || got.failed() > mostFailed) {
      Figures atNode =
          attack(new InetSocketAddress("127.0.0.1", coordinator.httpPort()), cases, false);
      print(title, "a node", atNode);
      if (endedNodes > 0) {
        out.printf("  %d processes of nodes ended: no neighbour can do worse%n", endedNodes);
      }
      boolean isBound = endedNodes == 0;
      mostP99 = isBound ? Math.max(mostP99, MAX_RATIO_TO_NODE * atNode.millis(99)) : UNBOUNDED;
      mostMillis =
          isBound ? Math.max(mostMillis, MAX_RATIO_TO_NODE * atNode.millis(100)) : UNBOUNDED;
      mostFailed = isBound ? atNode.failed() : UNBOUNDED;
    }
    checks.checkAtMost(title, "neighbour's p99 in ms", got.millis(99), mostP99);
    checks.checkAtMost(title, "neighbour's longest search in ms", got.millis(100), mostMillis);
    checks.checkAtMost(title, "neighbour's failed searches", got.failed(), mostFailed);
  }

  private Figures attack(InetSocketAddress target, List<HostileCase> cases, boolean isGateway) {
    endedNodes = 0;
    try (NeighbourSearches neighbour = NeighbourSearches.start(target)) {
      for (HostileCase one : cases) {
        if (isGateway ? !isAlive() : endedNodes > 0) {
          break;
        }
        if (System.nanoTime() - deadlineNanos > 0) {
          leftOut += isGateway ? 1 : 0;
          continue;
        }
        neighbour.takeLongestMillis();
        long began = System.nanoTime();
        Map<Integer, Integer> statuses = one.attack().apply(target);
        double seconds = (System.nanoTime() - began) / 1e9;
        LockSupport.parkNanos(CASE_END_NANOS);
        lost += isGateway ? one.lost(statuses) : 0;
        out.printf(
            "  %-64s %-28s %6.1f s; neighbour's longest %.1f ms%n",
            one.title(), statuses, seconds, neighbour.takeLongestMillis());
        restartEndedNodes();
      }
      return neighbour.stop();
    }
  }

  private void restartEndedNodes() {
    List<DataNode> ended = nodes.stream().filter(node -> !node.isAlive()).toList();
    for (DataNode node : ended) {
      endedNodes++;
      out.println("  the process of " + node.name() + " has ended; starting it again");
      node.start();
    }
    if (!ended.isEmpty()) {
      awaitSearch();
    }
  }

  /** Waits until the coordinating node has joined the cluster again and finds all shards. */
  private void awaitSearch() {
    String search = "/" + HostileRequest.INDEX + "/_search?allow_partial_search_results=false";
    long end = System.nanoTime() + JOIN_NANOS;
    try (RestClient client = new RestClient(coordinator.httpUri())) {
      while (!isFound(client, search)) {
        if (System.nanoTime() - end > 0) {
          throw new IllegalStateException(
              "got no search result from " + coordinator.name() + " after its start");
        }
        LockSupport.parkNanos(CASE_END_NANOS);
      }
    }
  }

  private static boolean isFound(RestClient client, String search) {
    try {
      return client.send("GET", search).status() == SUCCESS;
    } catch (UncheckedIOException down) {
      return false; // what it held for its clients can end it again
    }
  }

  private void print(String title, String target, Figures figures) {
    out.printf(
        "%s, %s: neighbour %s, p50 %.1f ms, p99 %.1f ms (calm: %.1f ms), longest %.1f ms%n",
        title,
        target,
        figures.statuses(),
        figures.millis(50),
        figures.millis(99),
        calmMillis,
        figures.millis(100));
    if (!figures.failure().isEmpty()) {
      out.println("  the neighbour's first failure: " + figures.failure());
    }
  }

  /** Adds the checks of all cases together, when nothing hostile is left. */
  void checkAtRest() {
    String title = "after all";
    checks.checkTrue(title, "the gateway's process lives", isAlive());
    checks.checkAtMost(title, "hostile requests without a response", (double) lost, 0);
    if (!isAlive()) {
      return;
    }
    LockSupport.parkNanos(SETTLE_NANOS);
    ProcessFootprint now = ProcessFootprint.read(gateway.pid());
    checks.checkAtMost(
        title, "more threads", now.threads() - footprint.threads(), MAX_ADDED_THREADS);
    checks.checkAtMost(
        title,
        "more descriptors",
        now.descriptors() - footprint.descriptors(),
        MAX_ADDED_DESCRIPTORS);
    long heap = ProcessFootprint.usedHeapAfterCollection(gateway.pid());
    checks.checkAtMost(
        title, "growth of the heap in MB", (heap - heapBytes) / 1e6, MAX_HEAP_GROWTH_MB);
    checks.checkAtMost(title, "lines of the log", (double) gateway.logLines(), MAX_LOG_LINES);
    checkInFlight(title);
  }

  private void checkInFlight(String title) {
    URI admin = URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort());
    String stats = "";
    try (RestClient client = new RestClient(admin)) {
      stats = client.send("GET", "/stats").orThrow().body();
    } catch (UncheckedIOException | IllegalStateException e) {
      out.println("/stats can't be read: " + e);
    }
    checkInFlight(checks, title, stats);
  }

  /** Checks that nothing is held for requests; connections of clients may be open. */
  static void checkInFlight(ResultChecks checks, String title, String stats) {
    Map<String, Double> counts = InFlightStats.read(stats);
    checks.checkTrue(title, "/stats has a section in_flight", !counts.isEmpty());
    counts.forEach((name, count) -> {
      if (!name.equals(CONNECTIONS)) {
        checks.checkAtMost(title, "in_flight." + name, count, 0);
      }
    });
  }

  private boolean isAlive() {
    return ProcessHandle.of(gateway.pid()).map(ProcessHandle::isAlive).orElse(false);
  }
}
