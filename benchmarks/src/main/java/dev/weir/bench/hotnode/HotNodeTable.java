package dev.weir.bench.hotnode;

import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** Prints the measurements of each path, and compares them with what the gateway promises. */
final class HotNodeTable {
  /** Two runs of the same load may differ by this factor. */
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
  }

  /** Compares the measurements under each fault with what the gateway promises. */
  static void check(
      ResultChecks checks, Map<NodeFault, Map<HotNodeEndpoint, HotNodeMeasurement>> results) {
    results.forEach((fault, seen) -> check(checks, fault.name(), seen));
  }

  private static void check(
      ResultChecks checks, String fault, Map<HotNodeEndpoint, HotNodeMeasurement> seen) {
    HotNodeMeasurement weir = named(seen, HotNodeEndpoint.WEIR);
    HotNodeMeasurement node = named(seen, HotNodeEndpoint.COORDINATING_NODE);
    HotNodeMeasurement oracle = named(seen, HotNodeEndpoint.ORACLE);
    HotNodeMeasurement least = named(seen, HotNodeEndpoint.LEAST_OUTSTANDING);
    String besideNode = fault + ", beside the coordinating-only node";
    String besideOracle = fault + ", beside the oracle";
    double throughput = weir.requestsPerSecond() / node.requestsPerSecond();
    checkSuccesses(checks, fault, seen);
    switch (fault) {
      case "healthy" -> {
        String title = fault + ", beside least outstanding";
        checks.checkAtLeast(
            title, "requests/s", weir.requestsPerSecond() / least.requestsPerSecond(), 1 / NOISE);
        checks.checkAtMost(title, "p50", weir.millis(50) / least.millis(50), NOISE);
        checks.checkAtMost(title, "p99", weir.millis(99) / least.millis(99), NOISE);
      }
      case "stopped" -> {
        checks.checkAtLeast(besideNode, "requests/s", throughput, 1);
        checks.checkAtMost(besideNode, "p90", weir.millis(90) / node.millis(90), 0.6);
        checks.checkAtMost(besideNode, "p99", weir.millis(99) / node.millis(99), 0.6);
        checks.checkAtMost(besideOracle, "p90", weir.millis(90) / oracle.millis(90), 1.25);
        checks.checkAtMost(besideOracle, "p99", weir.millis(99) / oracle.millis(99), 1.25);
      }
      case "failing" ->
          checks.checkAtMost(fault, "share of searches from 1 s on", weir.share(), 0.01);
      case "recovering" -> {
        checks.checkAtMost(fault, "seconds to 80 % of the fair share", weir.slowestRecovery(), 10);
        checks.checkAtMost(fault, "highest share, in fair shares", weir.highestPeak(), 1.5);
      }
      default -> {
        checks.checkAtLeast(besideNode, "requests/s", throughput, 1);
        checks.checkAtMost(besideNode, "p99", weir.millis(99) / node.millis(99), 1);
      }
    }
  }

  /** Beside a failing node the coordinating-only one may have errors, which the table shows. */
  private static void checkSuccesses(
      ResultChecks checks, String fault, Map<HotNodeEndpoint, HotNodeMeasurement> seen) {
    for (String path :
        List.of(
            HotNodeEndpoint.WEIR,
            HotNodeEndpoint.COORDINATING_NODE,
            HotNodeEndpoint.LEAST_OUTSTANDING,
            HotNodeEndpoint.ORACLE)) {
      if (!path.equals(HotNodeEndpoint.COORDINATING_NODE)
          || !fault.equals(NodeFault.FAILING.name())) {
        checks.checkSuccesses(fault, path, named(seen, path).errors());
      }
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
