package dev.weir.bench.overload;

import dev.weir.bench.OpenLoopLoad;
import dev.weir.bench.ResultChecks;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** Prints the goodput at each level of load, and checks it against the promises. */
final class OverloadTable {
  /** The level of load that others are compared with. */
  static final double BASELINE_LEVEL = 0.8;

  private static final double MIN_RATIO_TO_PEAK = 0.95;
  private static final double MAX_RATIO_TO_CALM = 2;
  private static final double MAX_REFUSAL_MILLIS = 2;

  private final PrintStream out;
  private final List<Row> rows = new ArrayList<>();

  /**
   * The measurements of one endpoint at one level.
   *
   * @param round the turn of this endpoint
   * @param loadLevel relative to the endpoint's capacity measured right before
   * @param peakRate the endpoint's own capacity before and after, in requests a second
   * @param cpuUsage during the overload
   */
  record Row(
      int round,
      double loadLevel,
      OverloadEndpoint endpoint,
      double peakRate,
      OpenLoopLoad.Result result,
      CpuUsageSampler.CpuUsage cpuUsage) {
    double millis(double percentile) {
      return result.millis(percentile);
    }

    double goodputRatio() {
      return result.goodput() / peakRate;
    }

    double refusalMillis() {
      Histogram refusals = result.refusals();
      return refusals.getTotalCount() == 0
          ? Double.NaN
          : refusals.getValueAtPercentile(50) / 1000.0;
    }
  }

  OverloadTable(PrintStream out) {
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
      OpenLoopLoad.Result seen = row.result();
      out.printf(
          "%6.1f %-26s %9.0f %9.0f %9.0f %8.2f %8.1f %8.1f %8d %8d %6d %5s  %s%n",
          row.loadLevel(),
          row.endpoint().name(),
          row.peakRate(),
          seen.offered() * 1e9 / seen.nanos(),
          seen.goodput(),
          row.goodputRatio(),
          row.millis(50),
          row.millis(99),
          seen.pastDeadline(),
          seen.failed(),
          seen.refused(),
          seen.refused() == 0 ? "" : "%.1f".formatted(row.refusalMillis()),
          row.cpuUsage());
    }
  }

  void check(ResultChecks verdicts) {
    rows.stream()
        .mapToDouble(Row::loadLevel)
        .filter(level -> level > 1)
        .distinct()
        .forEach(level -> check(verdicts, level));
  }

  private void check(ResultChecks verdicts, double level) {
    String title = "load " + level;
    double ofPeak = middle(level, OverloadEndpoint.WEIR, Row::goodputRatio);
    verdicts.checkAtLeast(title, "goodput of the peak", ofPeak, MIN_RATIO_TO_PEAK);
    for (String peer : List.of(OverloadEndpoint.COORDINATOR, OverloadEndpoint.PLAIN)) {
      double theirs = middle(level, peer, Row::goodputRatio);
      verdicts.checkAtLeast(title, "goodput, more than by " + peer, ofPeak - theirs, 0);
    }
    double beside =
        middle(level, OverloadEndpoint.WEIR, row -> row.millis(99) / calm(row).millis(99));
    verdicts.checkAtMost(title, "p99 beside that at " + BASELINE_LEVEL, beside, MAX_RATIO_TO_CALM);
    double refusal = middle(level, OverloadEndpoint.WEIR, Row::refusalMillis);
    verdicts.checkAtMost(title, "median of refusals in ms", refusal, MAX_REFUSAL_MILLIS);
  }

  private Row calm(Row of) {
    return rows.stream()
        .filter(row ->
            row.loadLevel() == BASELINE_LEVEL
                && row.round() == of.round()
                && row.endpoint().equals(of.endpoint()))
        .findFirst()
        .orElseThrow();
  }

  private double middle(double level, String endpointName, ToDoubleFunction<Row> figure) {
    double[] sorted =
        rows.stream()
            .filter(row -> row.loadLevel() == level && row.endpoint().name().equals(endpointName))
            .mapToDouble(figure)
            .sorted()
            .toArray();
    return sorted[sorted.length / 2];
  }
}
