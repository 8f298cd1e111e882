package dev.weir.bench.simulation;

import java.io.PrintStream;

/** Prints the results of scenarios as they complete. */
final class ConsoleTable {
  private ConsoleTable() {}

  static void printHeader(PrintStream out) {
    out.printf(
        "%-18s %8s %8s %8s %8s %8s %9s %7s %7s %7s %7s %7s %6s %6s%n",
        "policy",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "cheap99",
        "search/s",
        "failed%",
        "extra%",
        "hits%",
        "node0%",
        "peak%",
        "back s",
        "took");
  }

  static void printRow(PrintStream out, SelectionStrategy way, StrategyResult of, double seconds) {
    out.printf(
        "%-18s %8.1f %8.1f %8.1f %8.1f %8.1f %9.1f %7.2f %7.2f %7.1f %7.2f %7.1f %6.2f %6.1f%n",
        way.label(),
        of.p50(),
        of.p90(),
        of.p99(),
        of.p999(),
        of.cheapRequestP99(),
        of.searchesPerSecond(),
        100 * of.failedRatio(),
        100 * of.hedgeRatio(),
        100 * of.cacheHitRatio(),
        100 * of.windowShareOfNode0(),
        100 * of.peakShareOfNode0(),
        of.recoverySeconds(),
        seconds);
  }
}
