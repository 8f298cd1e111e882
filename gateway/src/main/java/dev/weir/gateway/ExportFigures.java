package dev.weir.gateway;

import dev.weir.responses.export.ExportCounts;
import dev.weir.observe.Metrics;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.model.Shown;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of exports, for operators. */
final class ExportFigures {
  private ExportFigures() {}

  static Map<String, Object> stats(ExportCounts counts) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("under_way", counts.underWay());
    for (ExportCounts.End end : ExportCounts.End.values()) {
      shown.put(Shown.word(end), counts.of(end));
    }
    shown.put("rows", counts.rows());
    shown.put("bytes", counts.bytes());
    shown.put("pages", counts.pages());
    shown.put("pages_asked_again", counts.retries());
    return shown;
  }

  static void bind(ExportCounts counts, Metrics metrics) {
    metrics
        .gauge("weir_exports_under_way", "Exports under way", counts::underWay)
        .table(
            new NodeTable<ExportCounts.End>(
                () -> List.of(ExportCounts.End.values()),
                end -> Map.of("end", Shown.word(end)),
                List.of(Column.counter("weir_exports", "Exports, by how they ended", counts::of))))
        .counter("weir_export_rows", "Rows that exports told", counts::rows)
        .counter("weir_export_bytes", "Bytes of exports before they were encoded", counts::bytes)
        .counter("weir_export_pages", "Pages that exports read", counts::pages)
        .counter(
            "weir_export_pages_asked_again",
            "Pages of exports that were refused, and asked for again",
            counts::retries);
  }
}
