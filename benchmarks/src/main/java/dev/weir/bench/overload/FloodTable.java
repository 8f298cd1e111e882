package dev.weir.bench.overload;

import dev.weir.bench.OpenLoad;
import dev.weir.bench.Verdicts;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Prints what was left of the work at each level of load, and whether it is what is promised. */
final class FloodTable {
  private static final double CALM = 0.8;
  private static final double LEAST_OF_PEAK = 0.95;
  private static final double MOST_OF_CALM = 2;
  private static final double MOST_REFUSAL_MILLIS = 2;

  private final PrintStream out;
  private final Verdicts verdicts;
  private final double peak;
  private final List<Row> rows = new ArrayList<>();

  /** What one path did at one level. */
  private record Row(double level, Door door, OpenLoad.Result seen) {
    double millis(double percentile) {
      return seen.millis(percentile);
    }
  }

  FloodTable(PrintStream out, Verdicts verdicts, double peak) {
    this.out = out;
    this.verdicts = verdicts;
    this.peak = peak;
  }

  void add(double level, Door door, OpenLoad.Result seen) {
    rows.add(new Row(level, door, seen));
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
          row.door().name(),
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
    double calm = row(CALM, Door.WEIR).millis(99);
    for (Row row : rows) {
      if (row.door().name().equals(Door.WEIR) && row.level() > 1) {
        judge(row, calm);
      }
    }
  }

  private void judge(Row weir, double calmMillis) {
    String title = "load " + weir.level();
    double goodput = weir.seen().goodput();
    verdicts.atLeast(title, "goodput of the peak", goodput / peak, LEAST_OF_PEAK);
    for (String peer : List.of(Door.COORDINATOR, Door.PLAIN)) {
      double theirs = row(weir.level(), peer).seen().goodput();
      verdicts.atLeast(title, "goodput beside " + peer, goodput / Math.max(1, theirs), 1);
    }
    verdicts.atMost(title, "p99 beside that at 0.8", weir.millis(99) / calmMillis, MOST_OF_CALM);
    if (weir.seen().refused() > 0) {
      double refusal = millis(weir.seen().refusals(), 50);
      verdicts.atMost(title, "median of refusals in ms", refusal, MOST_REFUSAL_MILLIS);
    }
  }

  private Row row(double level, String door) {
    return rows.stream()
        .filter(row -> row.level() == level && row.door().name().equals(door))
        .findFirst()
        .orElseThrow();
  }

  private static double millis(Histogram histogram, double percentile) {
    return histogram.getTotalCount() == 0
        ? Double.NaN
        : histogram.getValueAtPercentile(percentile) / 1000.0;
  }
}
