package dev.weir.bench.hotnode;

import java.io.PrintStream;
import java.util.Map;

/**
 * Prints what was seen, in proportion to the coordinating-only node and to the oracle, and whether
 * it is what the gateway promises.
 */
final class HotNodeTable {
  /** What two runs of the same differ by. */
  private static final double NOISE = 1.05;

  private HotNodeTable() {}

  static void print(
      PrintStream out, Map<NodeFault, Map<HotNodeEndpoint, HotNodeMeasurement>> results) {
    results.forEach((trouble, seen) -> {
      out.printf(
          "%n%-12s %-26s %8s %7s %8s %8s %8s %8s %8s %10s %7s%n",
          trouble.name(),
          "path",
          "req/s",
          "ratio",
          "p50 ms",
          "p90 ms",
          "p99 ms",
          "p99.9",
          "max",
          "hot share",
          "errors");
      HotNodeMeasurement base = named(seen, HotNodeEndpoint.COORDINATING_NODE);
      seen.forEach((path, sees) ->
          out.printf(
              "%-12s %-26s %8.0f %7.2f %8.1f %8.1f %8.1f %8.1f %8.1f %9.1f%% %7d%n",
              "",
              path.name(),
              sees.requestsPerSecond(),
              sees.requestsPerSecond() / base.requestsPerSecond(),
              sees.millis(50),
              sees.millis(90),
              sees.millis(99),
              sees.millis(99.9),
              sees.millis(100),
              100 * sees.share(),
              sees.errors()));
    });
    out.println();
    results.forEach((trouble, seen) -> verdicts(out, trouble, seen));
  }

  private static void verdicts(
      PrintStream out, NodeFault trouble, Map<HotNodeEndpoint, HotNodeMeasurement> seen) {
    HotNodeMeasurement weir = named(seen, HotNodeEndpoint.WEIR);
    HotNodeMeasurement node = named(seen, HotNodeEndpoint.COORDINATING_NODE);
    HotNodeMeasurement oracle = named(seen, HotNodeEndpoint.ORACLE);
    HotNodeMeasurement least = named(seen, HotNodeEndpoint.LEAST_OUTSTANDING);
    switch (trouble.name()) {
      case "healthy" -> {
        Checks verdicts = new Checks(out, "healthy, beside least outstanding");
        verdicts.checkAtLeast(
            "requests/s", weir.requestsPerSecond() / least.requestsPerSecond(), 1 / NOISE);
        verdicts.checkAtMost("p50", weir.millis(50) / least.millis(50), NOISE);
        verdicts.checkAtMost("p99", weir.millis(99) / least.millis(99), NOISE);
      }
      case "stopped" -> {
        Checks beside = new Checks(out, "stopped, beside the coordinating-only node");
        beside.checkAtLeast("requests/s", weir.requestsPerSecond() / node.requestsPerSecond(), 1);
        beside.checkAtMost("p90", weir.millis(90) / node.millis(90), 0.6);
        beside.checkAtMost("p99", weir.millis(99) / node.millis(99), 0.6);
        Checks best = new Checks(out, "stopped, beside the oracle");
        best.checkAtMost("p90", weir.millis(90) / oracle.millis(90), 1.25);
        best.checkAtMost("p99", weir.millis(99) / oracle.millis(99), 1.25);
      }
      case "failing" ->
          new Checks(out, "failing")
              .checkAtMost("share of searches from 1 s on", weir.share(), 0.01);
      case "recovering" -> {
        Checks verdicts = new Checks(out, "recovering");
        verdicts.checkAtMost("seconds to 80 % of the fair share", weir.slowestRecovery(), 10);
        verdicts.checkAtMost("highest share, in fair shares", weir.highestPeak(), 1.5);
      }
      default -> {
        Checks verdicts = new Checks(out, trouble.name() + ", beside the coordinating-only node");
        verdicts.checkAtLeast("requests/s", weir.requestsPerSecond() / node.requestsPerSecond(), 1);
        verdicts.checkAtMost("p99", weir.millis(99) / node.millis(99), 1);
      }
    }
  }

  /** Lines that say whether a figure is as promised. */
  private record Checks(PrintStream out, String title) {
    void checkAtMost(String what, double got, double bound) {
      printResult(what, got, "at most", bound, got <= bound);
    }

    void checkAtLeast(String what, double got, double bound) {
      printResult(what, got, "at least", bound, got >= bound);
    }

    private void printResult(String what, double got, String relation, double bound, boolean met) {
      out.printf(
          "%-7s %s: %s %.3f (%s %.2f)%n",
          met ? "met" : "MISSED", title, what, got, relation, bound);
    }
  }

  private static HotNodeMeasurement named(
      Map<HotNodeEndpoint, HotNodeMeasurement> seen, String name) {
    return seen.entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue();
  }
}
