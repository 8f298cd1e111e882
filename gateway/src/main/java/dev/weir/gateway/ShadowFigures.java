package dev.weir.gateway;

import dev.weir.observe.Figures;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.bluegreen.shadow.ShadowDesk;
import dev.weir.bluegreen.shadow.ShadowReport;
import dev.weir.bluegreen.shadow.ShadowReport.Count;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What came of reads that were repeated on another cluster, for operators. */
final class ShadowFigures {
  private static final List<Latency> LATENCIES =
      List.of(
          new Latency(false, "0.5"),
          new Latency(false, "0.99"),
          new Latency(true, "0.5"),
          new Latency(true, "0.99"));

  private record Latency(boolean shadow, String quantile) {
    String side() {
      return shadow ? "shadow" : "primary";
    }
  }

  private ShadowFigures() {}

  static Map<String, Object> stats(ShadowDesk desk) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("under_way", desk.underWay());
    shown.put("comparing", desk.comparing());
    shown.put("held_bytes", desk.held());
    shown.putAll(desk.report().show());
    return shown;
  }

  static void bind(ShadowDesk desk, Figures metrics) {
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
        "weir_shadow_not_comparable",
        "Answers of two clusters that could not be compared, by why",
        "reason",
        report::incomparable);
    counters(
        metrics,
        "weir_shadow_shed",
        "Reads that were not repeated, or not compared, by why",
        "reason",
        report::sheds);
    metrics
        .gauge("weir_shadow_in_flight", "Repeated reads under way", desk::underWay)
        .gauge(
            "weir_shadow_comparing", "Pairs of answers that wait to be compared", desk::comparing)
        .gauge(
            "weir_shadow_held_bytes",
            "Bytes of copies of requests and answers that are held to be compared",
            desk::held)
        .gauge(
            "weir_shadow_rbo",
            "Mean rank-biased overlap of two clusters' hits in the last one to two minutes",
            report::meanOverlap)
        .gauge(
            "weir_shadow_rbo_least",
            "Least rank-biased overlap of two clusters' hits in the last one to two minutes",
            report::leastOverlap)
        .table(
            new NodeTable<Latency>(
                () -> LATENCIES,
                latency -> Map.of("side", latency.side(), "quantile", latency.quantile()),
                List.of(
                    Column.gauge(
                        "weir_shadow_latency_seconds",
                        "How long compared answers took on either cluster lately",
                        latency ->
                            report.seconds(
                                latency.shadow(), Double.parseDouble(latency.quantile()))))));
  }

  private static void counters(
      Figures metrics, String name, String help, String label, Supplier<List<Count>> rows) {
    metrics.table(
        new NodeTable<Count>(
            rows,
            count ->
                count.action().isEmpty()
                    ? Map.of(label, count.what())
                    : Map.of("action", count.action(), label, count.what()),
            List.of(Column.counter(name, help, Count::count))));
  }
}
