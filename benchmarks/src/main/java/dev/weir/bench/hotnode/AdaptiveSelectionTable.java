package dev.weir.bench.hotnode;

import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Prints the measurements of each algorithm, and compares them with what C3 promises. */
final class AdaptiveSelectionTable {
  /** The names of the algorithms in the configuration. */
  static final String ADAPTIVE = "adaptive";

  static final String C3 = "c3";
  static final String LEAST_OUTSTANDING = "least-outstanding";
  static final String ROUND_ROBIN = "round-robin";

  /** All of them, the one to compare with first. */
  static final List<String> ALGORITHMS = List.of(ROUND_ROBIN, LEAST_OUTSTANDING, C3, ADAPTIVE);

  /** Two runs of the same load may differ by this factor. */
  private static final double NOISE = 1.05;

  private static final double FAIR_SHARE = 1.0 / 3;

  /** Below this share of its fair share, a slow node is avoided. */
  private static final double MAX_SHARE = 0.5 * FAIR_SHARE;

  /** From this share on, round-robin does not avoid the node: the comparison is a fair one. */
  private static final double MIN_ROUND_ROBIN_SHARE = 0.8 * FAIR_SHARE;

  /** With one loaded node: 113 % more throughput, 65 % less p90, 61 % less p99. */
  private static final double MIN_THROUGHPUT = 2.13;

  private static final double MAX_P90 = 0.35;
  private static final double MAX_P99 = 0.39;

  private AdaptiveSelectionTable() {}

  static void print(PrintStream out, String fault, Map<String, HotNodeMeasurement> seen) {
    out.printf(
        "%n%-10s %-18s %10s %7s %12s %8s %7s %8s %8s %8s %8s %10s %7s%n",
        fault,
        "algorithm",
        "own CPU-ms",
        "ratio",
        "nodes CPU-ms",
        "req/s",
        "ratio",
        "p50 ms",
        "p90 ms",
        "p99 ms",
        "p99.9",
        "its share",
        "errors");
    HotNodeMeasurement base = named(seen, ROUND_ROBIN);
    seen.forEach((name, sees) ->
        out.printf(
            Locale.ROOT,
            "%-10s %-18s %10.3f %7.2f %12.3f %8.0f %7.2f %8.1f %8.1f %8.1f %8.1f %9.1f%% %7d%n",
            "",
            name,
            sees.gatewayCpu(),
            sees.gatewayCpu() / base.gatewayCpu(),
            sees.nodesCpu(),
            sees.requestsPerSecond(),
            sees.requestsPerSecond() / base.requestsPerSecond(),
            sees.millis(50),
            sees.millis(90),
            sees.millis(99),
            sees.millis(99.9),
            100 * sees.share(),
            sees.errors()));
  }

  /** Checks the bounds of one fault. */
  static void check(ResultChecks checks, NodeFault fault, Map<String, HotNodeMeasurement> seen) {
    boolean isHealthy = fault.equals(NodeFault.NONE);
    HotNodeMeasurement turns = named(seen, ROUND_ROBIN);
    HotNodeMeasurement least = named(seen, LEAST_OUTSTANDING);
    if (!isHealthy) {
      checks.checkAtLeast(
          fault.name() + ", round-robin",
          "share of the slow node",
          turns.share(),
          MIN_ROUND_ROBIN_SHARE);
    }
    for (String name : List.of(C3, ADAPTIVE)) {
      HotNodeMeasurement sees = named(seen, name);
      String title = "%s, %s, of round-robin".formatted(fault.name(), name);
      double throughput = sees.requestsPerSecond() / turns.requestsPerSecond();
      if (isHealthy) {
        checks.checkAtMost(title, "CPU of the gateway", ofCpu(sees, turns), NOISE);
        checks.checkAtLeast(title, "requests/s", throughput, 1 / NOISE);
        checks.checkAtMost(title, "p99", of(sees, turns, 99), NOISE);
      } else {
        checks.checkAtMost(
            "%s, %s".formatted(fault.name(), name),
            "share of the slow node",
            sees.share(),
            MAX_SHARE);
        checks.checkAtLeast(title, "requests/s", throughput, MIN_THROUGHPUT);
        checks.checkAtMost(title, "p90", of(sees, turns, 90), MAX_P90);
        checks.checkAtMost(title, "p99", of(sees, turns, 99), MAX_P99);
      }
    }
    HotNodeMeasurement adaptive = named(seen, ADAPTIVE);
    checks.checkAtMost(
        fault.name() + ", adaptive, of round-robin", "p50", of(adaptive, turns, 50), NOISE);
    checks.checkAtMost(
        fault.name() + ", adaptive, of least-outstanding", "p99", of(adaptive, least, 99), NOISE);
    seen.forEach((name, sees) ->
        checks.checkTrue(
            "%s, %s".formatted(fault.name(), name), "all succeed", sees.errors() == 0));
  }

  private static double of(HotNodeMeasurement sees, HotNodeMeasurement base, double percentile) {
    return sees.millis(percentile) / base.millis(percentile);
  }

  private static double ofCpu(HotNodeMeasurement sees, HotNodeMeasurement base) {
    return sees.gatewayCpu() / base.gatewayCpu();
  }

  private static HotNodeMeasurement named(Map<String, HotNodeMeasurement> seen, String name) {
    return Objects.requireNonNull(seen.get(name), name);
  }
}
