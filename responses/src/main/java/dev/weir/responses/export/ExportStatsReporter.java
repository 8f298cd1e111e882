package dev.weir.responses.export;

import dev.weir.model.DisplayFormat;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports the outcomes of exports: the section {@code exports} of {@code /stats}, and its metrics.
 */
public record ExportStatsReporter(ExportCounts counts) implements StatsReporter {

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("in_flight", counts.active());
    for (ExportCounts.End end : ExportCounts.End.values()) {
      shown.put(DisplayFormat.toKebabCase(end), counts.countOf(end));
    }
    shown.put("rows", counts.rows());
    shown.put("bytes", counts.bytes());
    shown.put("pages", counts.pages());
    shown.put("page_retries", counts.retries());
    return Map.of("exports", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .gauge("weir_exports_in_flight", "Exports in flight", counts::active)
        .table(
            new MetricTable<ExportCounts.End>(
                () -> List.of(ExportCounts.End.values()),
                end -> Map.of("outcome", DisplayFormat.toKebabCase(end)),
                List.of(
                    Column.counter(
                        "weir_exports", "Finished exports, by outcome", counts::countOf))))
        .counter("weir_export_rows", "Exported rows", counts::rows)
        .counter("weir_export_bytes", "Bytes of exported rows before compression", counts::bytes)
        .counter("weir_export_pages", "Pages of exports read from the nodes", counts::pages)
        .counter(
            "weir_export_page_retries",
            "Rejected pages of exports that were read again",
            counts::retries);
  }
}
