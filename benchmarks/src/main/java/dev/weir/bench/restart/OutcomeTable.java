package dev.weir.bench.restart;

import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Prints what clients noticed, a row for each piece of work, and checks that nothing was lost.
 *
 * @param out gets the rows
 * @param checks get the bounds
 * @param work what the first column names
 * @param nodes among which the time of the work is divided
 */
record OutcomeTable(PrintStream out, ResultChecks checks, String work, int nodes) {
  private static final double MAX_P99 = 1.3;

  void printHead() {
    out.printf(
        "%n%-20s %12s %12s %7s %9s %14s %9s  %s%n",
        work,
        "calm p99 ms",
        "p99 ms",
        "ratio",
        "failed",
        "failed bulks",
        nodes > 1 ? "s a node" : "s",
        "p99 ms of each slice");
  }

  void print(String name, ClientLoad.Outcome outcome) {
    out.printf(
        "%-20s %12.1f %12.1f %7.2f %9d %14d %9.1f  %s%n",
        name,
        outcome.calmMillis(),
        outcome.millis(),
        outcome.ratio(),
        outcome.failed(),
        outcome.failedBulks(),
        outcome.seconds() / nodes,
        outcome.sliceMillis().stream()
            .map(millis -> String.format(Locale.ROOT, "%.0f", millis))
            .collect(Collectors.joining(" ")));
    checks.checkAtMost(name, "acknowledged documents lost", (double) outcome.lost(), 0);
  }

  /** Prints an operation of the gateway: clients must hardly notice it. */
  void printBounded(String name, ClientLoad.Outcome outcome) {
    print(name, outcome);
    checks.checkAtMost(name, "p99, of that before", outcome.ratio(), MAX_P99);
    checks.checkAtMost(name, "searches failed", (double) outcome.failed(), 0);
    checks.checkAtMost(name, "bulks failed", (double) outcome.failedBulks(), 0);
  }
}
