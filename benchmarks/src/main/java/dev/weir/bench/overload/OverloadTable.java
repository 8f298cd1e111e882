package dev.weir.bench.overload;

import dev.weir.bench.OpenLoad;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Prints what was left of the work at each level of load, and whether it is what is promised. */
final class OverloadTable {
  static final String WEIR = "weir";
  static final String COORDINATOR = "coordinating-only node";
  static final String PLAIN = "the data nodes themselves";

  private static final double CALM = 0.8;
  private static final double LEAST_OF_PEAK = 0.95;
  private static final double MOST_OF_CALM = 2;
  private static final double MOST_REFUSAL_MILLIS = 2;

  private final PrintStream out;
  private final double peak;
  private final List<Row> rows = new ArrayList<>();

  /** What one path did at one level. */
  private record Row(double level, String path, OpenLoad.Result seen) {
    double millis(double percentile) {
      return OverloadTable.millis(seen.successes(), percentile);
    }
  }

  OverloadTable(PrintStream out, double peak) {
    this.out = out;
    this.peak = peak;
  }

  void add(double level, String path, OpenLoad.Result seen) {
    rows.add(new Row(level, path, seen));
  }

  void print() {
    out.printf(
        "%n%6s %-26s %9s %9s %8s %8s %8s %8s %8s %12s%n",
        "load",
        "path",
        "offered/s",
        "in time/s",
        "of peak",
        "p50 ms",
        "p99 ms",
        "late",
        "failed",
        "refused p50");
    for (Row row : rows) {
      OpenLoad.Result seen = row.seen();
      out.printf(
          "%6.1f %-26s %9.0f %9.0f %8.2f %8.1f %8.1f %8d %8d %6d %5s%n",
          row.level(),
          row.path(),
          seen.offered() * 1e9 / seen.nanos(),
          seen.goodput(),
          seen.goodput() / peak,
          row.millis(50),
          row.millis(99),
          seen.late(),
          seen.failed(),
          seen.refused(),
          seen.refused() == 0 ? "" : "%.1f".formatted(millis(seen.refusals(), 50)));
    }
    out.println();
    double calm = row(CALM, WEIR).millis(99);
    for (Row row : rows) {
      if (row.path().equals(WEIR) && row.level() > 1) {
        verdicts(row, calm);
      }
    }
  }

  private void verdicts(Row weir, double calmMillis) {
    double goodput = weir.seen().goodput();
    say(weir, "goodput of the peak", goodput / peak, LEAST_OF_PEAK, true);
    for (String peer : List.of(COORDINATOR, PLAIN)) {
      double theirs = row(weir.level(), peer).seen().goodput();
      say(weir, "goodput beside " + peer, goodput / Math.max(1, theirs), 1, true);
    }
    say(weir, "p99 beside that at 0.8", weir.millis(99) / calmMillis, MOST_OF_CALM, false);
    if (weir.seen().refused() > 0) {
      double refusal = millis(weir.seen().refusals(), 50);
      say(weir, "median of refusals in ms", refusal, MOST_REFUSAL_MILLIS, false);
    }
  }

  private void say(Row row, String what, double got, double bound, boolean atLeast) {
    boolean met = atLeast ? got >= bound : got <= bound;
    out.printf(
        "%-7s load %.1f: %s %.2f (%s %.2f)%n",
        met ? "met" : "MISSED", row.level(), what, got, atLeast ? "at least" : "at most", bound);
  }

  private Row row(double level, String path) {
    return rows.stream()
        .filter(row -> row.level() == level && row.path().equals(path))
        .findFirst()
        .orElseThrow();
  }

  private static double millis(Histogram histogram, double percentile) {
    return histogram.getTotalCount() == 0
        ? Double.NaN
        : histogram.getValueAtPercentile(percentile) / 1000.0;
  }
}
