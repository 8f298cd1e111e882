package dev.weir.bench.hostile;

import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.hostile.HostileOutcome;
import dev.weir.testkit.hostile.NeighbourSearches;
import dev.weir.testkit.hostile.ProcessFootprint;
import java.io.PrintStream;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Judges what hostile clients do to a gateway: to its process, to a neighbour's searches, and to
 * what it holds afterwards. Confined to one thread.
 */
final class HostileJudge {
  private static final double MOST_TIMES_CALM = 3;
  private static final double MOST_MILLIS = 2_000;
  private static final double MOST_HEAP_GROWTH_MB = 32;
  private static final double MOST_MORE_THREADS = 80;
  private static final double MOST_MORE_DESCRIPTORS = 300;
  private static final double MOST_LOG_LINES = 20_000;
  private static final int SUCCESS = 200;
  private static final int WARM_UP_ROUNDS = 3;
  private static final long SETTLE_NANOS = 5_000_000_000L;

  /** The counts of the section {@code in_flight} of {@code /stats}. */
  private static final Pattern IN_FLIGHT =
      Pattern.compile("\"in_flight\"\\s*:\\s*\\{([^}]*)\"connections\"");

  private static final Pattern COUNT = Pattern.compile("\"(\\w+)\"\\s*:\\s*(\\d+)");

  private final PrintStream out;
  private final ResultChecks checks;
  private final MeasuredGateway gateway;
  private double calmMillis = Double.NaN;
  private ProcessFootprint footprint = new ProcessFootprint(0, 0);
  private long heapBytes;
  private double longest;
  private int unserved;
  private int lost;

  HostileJudge(PrintStream out, ResultChecks checks, MeasuredGateway gateway) {
    this.out = out;
    this.checks = checks;
    this.gateway = gateway;
  }

  /** Measures the neighbour and the process before any hostile client. */
  void measureCalm(double seconds) {
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      try (NeighbourSearches neighbour = NeighbourSearches.start(gateway.address())) {
        LockSupport.parkNanos((long) (seconds * 1e9));
        neighbour.stop();
        calmMillis = neighbour.millis(99);
      }
    }
    heapBytes = ProcessFootprint.usedHeapAfterCollection(gateway.pid());
    footprint = ProcessFootprint.read(gateway.pid());
    out.printf(
        "calm: neighbour's p99 %.1f ms, heap %d MB, %s%n", calmMillis, heapBytes >> 20, footprint);
  }

  /**
   * Runs hostile clients beside the neighbour, and adds the checks of this case.
   *
   * @param hostile returns the statuses that they got, with their counts
   */
  void run(String title, Supplier<Map<Integer, Integer>> hostile) {
    if (!isAlive()) {
      return;
    }
    long began = System.nanoTime();
    try (NeighbourSearches neighbour = NeighbourSearches.start(gateway.address())) {
      Map<Integer, Integer> statuses = hostile.get();
      Map<Integer, Integer> searches = neighbour.stop();
      double p99 = neighbour.millis(99);
      longest = Math.max(longest, neighbour.millis(100));
      lost += statuses.getOrDefault(HostileOutcome.TIMED_OUT, 0);
      int failed =
          searches.entrySet().stream()
              .filter(entry -> entry.getKey() != SUCCESS)
              .mapToInt(Map.Entry::getValue)
              .sum();
      unserved += failed;
      out.printf(
          "%s: %s in %.1f s; neighbour %s, p99 %.1f ms, most %.1f ms%n",
          title, statuses, (System.nanoTime() - began) / 1e9, searches, p99, neighbour.millis(100));
      if (p99 > MOST_TIMES_CALM * calmMillis || failed > 0 || neighbour.millis(100) > MOST_MILLIS) {
        checks.checkAtMost(title, "neighbour's p99, of calm", p99 / calmMillis, MOST_TIMES_CALM);
        checks.checkAtMost(title, "neighbour's failed searches", failed, 0);
      }
    }
    if (!isAlive()) {
      checks.checkTrue(title, "the gateway's process lives", false);
    }
  }

  /** Adds the checks of all cases together, when nothing hostile is left. */
  void checkAtRest() {
    String title = "after all";
    checks.checkTrue(title, "the gateway's process lives", isAlive());
    checks.checkAtMost(title, "neighbour's longest search in ms", longest, MOST_MILLIS);
    checks.checkAtMost(title, "neighbour's failed searches", unserved, 0);
    checks.checkAtMost(title, "hostile requests without a response in time", lost, 0);
    if (!isAlive()) {
      return;
    }
    LockSupport.parkNanos(SETTLE_NANOS);
    ProcessFootprint now = ProcessFootprint.read(gateway.pid());
    checks.checkAtMost(
        title, "more threads", now.threads() - footprint.threads(), MOST_MORE_THREADS);
    checks.checkAtMost(
        title,
        "more descriptors",
        now.descriptors() - footprint.descriptors(),
        MOST_MORE_DESCRIPTORS);
    long heap = ProcessFootprint.usedHeapAfterCollection(gateway.pid());
    checks.checkAtMost(
        title, "growth of the heap in MB", (heap - heapBytes) / 1e6, MOST_HEAP_GROWTH_MB);
    checks.checkAtMost(title, "lines of the log", (double) gateway.logLines(), MOST_LOG_LINES);
    checkInFlight(title);
  }

  private void checkInFlight(String title) {
    URI admin = URI.create("http://127.0.0.1:" + gateway.adminAddress().getPort());
    try (RestClient client = new RestClient(admin)) {
      Matcher section = IN_FLIGHT.matcher(client.send("GET", "/stats").orThrow().body());
      checks.checkTrue(title, "/stats has a section in_flight", section.find());
      Matcher count = COUNT.matcher(section.group(1));
      while (count.find()) {
        checks.checkAtMost(
            title, "in_flight." + count.group(1), Double.parseDouble(count.group(2)), 0);
      }
    }
  }

  private boolean isAlive() {
    return ProcessHandle.of(gateway.pid()).map(ProcessHandle::isAlive).orElse(false);
  }
}
