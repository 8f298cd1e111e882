package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ShadowReport.Count;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import dev.weir.observe.admin.AdminResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Reports the outcomes of shadow reads: the page {@code /shadow}, and its metrics. */
public record ShadowStatsReporter(ShadowService service) implements StatsReporter {
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

  /** The body of the page. */
  public Map<String, Object> toMap() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("in_flight", service.inFlight());
    shown.put("queued_comparisons", service.pendingComparisons());
    shown.put("memory_bytes", service.heldBytes());
    shown.putAll(service.report().toMap());
    return shown;
  }

  @Override
  public void addPages(AdminPageRegistry site) {
    site.get("/shadow", () -> AdminResponse.json(200, toMap()));
  }

  @Override
  public void bind(MetricRegistry metrics) {
    ShadowReport report = service.report();
    counters(
        metrics,
        "weir_shadow_requests",
        "Reads repeated on another cluster, by the verdict of the comparison",
        "verdict",
        report::verdicts);
    counters(
        metrics,
        "weir_shadow_differences",
        "Differences between the responses of two clusters, by kind",
        "kind",
        report::differences);
    counters(
        metrics,
        "weir_shadow_incomparable_responses",
        "Responses of two clusters that could not be compared, by reason",
        "reason",
        report::incomparable);
    counters(
        metrics,
        "weir_shadow_shed_requests",
        "Selected reads that were not repeated or not compared, by reason",
        "reason",
        report::skips);
    metrics
        .gauge("weir_shadow_in_flight_requests", "Shadow reads in flight", service::inFlight)
        .gauge(
            "weir_shadow_queued_comparisons",
            "Pairs of responses that wait to be compared",
            service::pendingComparisons)
        .gauge(
            "weir_shadow_memory_bytes",
            "Bytes of copied requests and responses",
            service::heldBytes)
        .gauge(
            "weir_shadow_rbo_mean",
            "Mean rank-biased overlap of hits in the last one to two minutes; 1 without"
                + " comparisons",
            report::meanOverlap)
        .gauge(
            "weir_shadow_rbo_min",
            "Smallest rank-biased overlap of hits in the last one to two minutes; 1 without"
                + " comparisons",
            report::minOverlap)
        .table(
            new MetricTable<Latency>(
                () -> LATENCIES,
                latency -> Map.of("role", latency.clusterRole(), "quantile", latency.quantile()),
                List.of(
                    Column.gauge(
                        "weir_shadow_latency_seconds",
                        "Latency of compared responses of either cluster in the last one to two"
                            + " minutes",
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
