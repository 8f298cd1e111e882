package dev.weir.gateway;

import dev.weir.bluegreen.shadow.ShadowReport;
import dev.weir.bluegreen.shadow.ShadowReport.Count;
import dev.weir.bluegreen.shadow.ShadowService;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What came of reads that were repeated on another cluster, for operators. */
final class ShadowStatsReporter {
  private static final List<Latency> LATENCIES =
      List.of(
          new Latency(false, "0.5"),
          new Latency(false, "0.99"),
          new Latency(true, "0.5"),
          new Latency(true, "0.99"));

  private record Latency(boolean shadow, String quantile) {
    String clusterRole() {
      return shadow ? "shadow" : "primary";
    }
  }

  private ShadowStatsReporter() {}

  static Map<String, Object> toMap(ShadowService desk) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("in_flight", desk.inFlight());
    shown.put("queued_comparisons", desk.pendingComparisons());
    shown.put("memory_bytes", desk.heldBytes());
    shown.putAll(desk.report().toMap());
    return shown;
  }

  static void bind(ShadowService desk, MetricRegistry metrics) {
    ShadowReport report = desk.report();
    counters(
        metrics,
        "weir_shadow_requests",
        "Reads that were repeated on another cluster, by what comparing the answers came to",
        "verdict",
        report::verdicts);
    counters(
        metrics,
        "weir_shadow_differences",
        "Differences between the answers of two clusters, by their kind",
        "kind",
        report::differences);
    counters(
        metrics,
        "weir_shadow_incomparable_responses",
        "Answers of two clusters that could not be compared, by why",
        "reason",
        report::incomparable);
    counters(
        metrics,
        "weir_shadow_shed_requests",
        "Reads that were not repeated, or not compared, by why",
        "reason",
        report::skips);
    metrics
        .gauge("weir_shadow_in_flight_requests", "Repeated reads under way", desk::inFlight)
        .gauge(
            "weir_shadow_queued_comparisons",
            "Pairs of answers that wait to be compared",
            desk::pendingComparisons)
        .gauge(
            "weir_shadow_memory_bytes",
            "Bytes of copies of requests and answers that are held to be compared",
            desk::heldBytes)
        .gauge(
            "weir_shadow_rbo_mean",
            "Mean rank-biased overlap of two clusters' hits in the last one to two minutes",
            report::meanOverlap)
        .gauge(
            "weir_shadow_rbo_min",
            "Least rank-biased overlap of two clusters' hits in the last one to two minutes",
            report::minOverlap)
        .table(
            new MetricTable<Latency>(
                () -> LATENCIES,
                latency -> Map.of("role", latency.clusterRole(), "quantile", latency.quantile()),
                List.of(
                    Column.gauge(
                        "weir_shadow_latency_seconds",
                        "How long compared answers took on either cluster lately",
                        latency ->
                            report.quantileSeconds(
                                latency.shadow(), Double.parseDouble(latency.quantile()))))));
  }

  private static void counters(
      MetricRegistry metrics, String name, String help, String label, Supplier<List<Count>> rows) {
    metrics.table(
        new MetricTable<Count>(
            rows,
            count ->
                count.action().isEmpty()
                    ? Map.of(label, count.label())
                    : Map.of("action", count.action(), label, count.label()),
            List.of(Column.counter(name, help, Count::count))));
  }
}
