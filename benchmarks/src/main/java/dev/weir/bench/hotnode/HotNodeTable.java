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

  static void print(PrintStream out, Map<Trouble, Map<Path, Seen>> results) {
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
      Seen base = named(seen, Path.COORDINATOR);
      seen.forEach((path, sees) ->
          out.printf(
              "%-12s %-26s %8.0f %7.2f %8.1f %8.1f %8.1f %8.1f %8.1f %9.1f%% %7d%n",
              "",
              path.name(),
              sees.rate(),
              sees.rate() / base.rate(),
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

  private static void verdicts(PrintStream out, Trouble trouble, Map<Path, Seen> seen) {
    Seen weir = named(seen, Path.WEIR);
    Seen node = named(seen, Path.COORDINATOR);
    Seen oracle = named(seen, Path.ORACLE);
    Seen least = named(seen, Path.LEAST_OUTSTANDING);
    switch (trouble.name()) {
      case "healthy" -> {
        Verdicts verdicts = new Verdicts(out, "healthy, beside least outstanding");
        verdicts.atLeast("requests/s", weir.rate() / least.rate(), 1 / NOISE);
        verdicts.atMost("p50", weir.millis(50) / least.millis(50), NOISE);
        verdicts.atMost("p99", weir.millis(99) / least.millis(99), NOISE);
      }
      case "stopped" -> {
        Verdicts beside = new Verdicts(out, "stopped, beside the coordinating-only node");
        beside.atLeast("requests/s", weir.rate() / node.rate(), 1);
        beside.atMost("p90", weir.millis(90) / node.millis(90), 0.6);
        beside.atMost("p99", weir.millis(99) / node.millis(99), 0.6);
        Verdicts best = new Verdicts(out, "stopped, beside the oracle");
        best.atMost("p90", weir.millis(90) / oracle.millis(90), 1.25);
        best.atMost("p99", weir.millis(99) / oracle.millis(99), 1.25);
      }
      case "failing" ->
          new Verdicts(out, "failing").atMost("share of searches from 1 s on", weir.share(), 0.01);
      case "recovering" -> {
        Verdicts verdicts = new Verdicts(out, "recovering");
        verdicts.atMost("seconds to 80 % of the fair share", weir.slowestRecovery(), 10);
        verdicts.atMost("highest share, in fair shares", weir.highestPeak(), 1.5);
      }
      default -> {
        Verdicts verdicts =
            new Verdicts(out, trouble.name() + ", beside the coordinating-only node");
        verdicts.atLeast("requests/s", weir.rate() / node.rate(), 1);
        verdicts.atMost("p99", weir.millis(99) / node.millis(99), 1);
      }
    }
  }

  /** Lines that say whether a figure is as promised. */
  private record Verdicts(PrintStream out, String title) {
    void atMost(String what, double got, double bound) {
      say(what, got, "at most", bound, got <= bound);
    }

    void atLeast(String what, double got, double bound) {
      say(what, got, "at least", bound, got >= bound);
    }

    private void say(String what, double got, String relation, double bound, boolean met) {
      out.printf(
          "%-7s %s: %s %.3f (%s %.2f)%n",
          met ? "met" : "MISSED", title, what, got, relation, bound);
    }
  }

  private static Seen named(Map<Path, Seen> seen, String name) {
    return seen.entrySet().stream()
        .filter(entry -> entry.getKey().name().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue();
  }
}
