package dev.weir.bench.overload;

import dev.weir.bench.OpenLoad;
import dev.weir.bench.Verdicts;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** Prints what was left of the work at each level of load, and whether it is what is promised. */
final class FloodTable {
  /** The level that others are compared with. */
  static final double CALM = 0.8;

  private static final double LEAST_OF_PEAK = 0.95;
  private static final double MOST_OF_CALM = 2;
  private static final double MOST_REFUSAL_MILLIS = 2;

  private final PrintStream out;
  private final List<Row> rows = new ArrayList<>();

  /**
   * What one path did at one level.
   *
   * @param turn of the path
   * @param level of the capacity that was seen right before
   * @param peak the gateway's capacity around it, requests a second
   * @param used while it was flooded
   */
  record Row(
      int turn, double level, Door door, double peak, OpenLoad.Result seen, Cores.Used used) {
    double millis(double percentile) {
      return seen.millis(percentile);
    }

    double ofPeak() {
      return seen.goodput() / peak;
    }

    double refusalMillis() {
      Histogram refusals = seen.refusals();
      return refusals.getTotalCount() == 0
          ? Double.NaN
          : refusals.getValueAtPercentile(50) / 1000.0;
    }
  }

  FloodTable(PrintStream out) {
    this.out = out;
  }

  void add(Row row) {
    rows.add(row);
  }

  void print() {
    out.printf(
        "%n%6s %-26s %9s %9s %9s %8s %8s %8s %8s %8s %12s  %s%n",
        "load",
        "path",
        "peak/s",
        "offered/s",
        "in time/s",
        "of peak",
        "p50 ms",
        "p99 ms",
        "late",
        "failed",
        "refused p50",
        "cores");
    for (Row row : rows) {
      OpenLoad.Result seen = row.seen();
      out.printf(
          "%6.1f %-26s %9.0f %9.0f %9.0f %8.2f %8.1f %8.1f %8d %8d %6d %5s  %s%n",
          row.level(),
          row.door().name(),
          row.peak(),
          seen.offered() * 1e9 / seen.nanos(),
          seen.goodput(),
          row.ofPeak(),
          row.millis(50),
          row.millis(99),
          seen.late(),
          seen.failed(),
          seen.refused(),
          seen.refused() == 0 ? "" : "%.1f".formatted(row.refusalMillis()),
          row.used());
    }
  }

  void judge(Verdicts verdicts) {
    rows.stream()
        .mapToDouble(Row::level)
        .filter(level -> level > 1)
        .distinct()
        .forEach(level -> judge(verdicts, level));
  }

  private void judge(Verdicts verdicts, double level) {
    String title = "load " + level;
    double ofPeak = middle(level, Door.WEIR, Row::ofPeak);
    verdicts.atLeast(title, "goodput of the peak", ofPeak, LEAST_OF_PEAK);
    for (String peer : List.of(Door.COORDINATOR, Door.PLAIN)) {
      double theirs = middle(level, peer, Row::ofPeak);
      verdicts.atLeast(title, "goodput, more than by " + peer, ofPeak - theirs, 0);
    }
    double beside = middle(level, Door.WEIR, row -> row.millis(99) / calm(row).millis(99));
    verdicts.atMost(title, "p99 beside that at " + CALM, beside, MOST_OF_CALM);
    double refusal = middle(level, Door.WEIR, Row::refusalMillis);
    verdicts.atMost(title, "median of refusals in ms", refusal, MOST_REFUSAL_MILLIS);
  }

  private Row calm(Row of) {
    return rows.stream()
        .filter(
            row -> row.level() == CALM && row.turn() == of.turn() && row.door().equals(of.door()))
        .findFirst()
        .orElseThrow();
  }

  private double middle(double level, String door, ToDoubleFunction<Row> figure) {
    double[] sorted =
        rows.stream()
            .filter(row -> row.level() == level && row.door().name().equals(door))
            .mapToDouble(figure)
            .sorted()
            .toArray();
    return sorted[sorted.length / 2];
  }
}
