package dev.weir.bench.simulation;

import java.io.PrintStream;

/** Prints what was measured while it goes on. */
final class ConsoleTable {
  private ConsoleTable() {}

  static void head(PrintStream out) {
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

  static void row(PrintStream out, Way way, Measured of, double seconds) {
    out.printf(
        "%-18s %8.1f %8.1f %8.1f %8.1f %8.1f %9.1f %7.2f %7.2f %7.1f %7.2f %7.1f %6.2f %6.1f%n",
        way.label(),
        of.p50(),
        of.p90(),
        of.p99(),
        of.p999(),
        of.cheapP99(),
        of.perSecond(),
        100 * of.failed(),
        100 * of.extra(),
        100 * of.hits(),
        100 * of.windowShare(),
        100 * of.peakShare(),
        of.backSeconds(),
        seconds);
  }
}
