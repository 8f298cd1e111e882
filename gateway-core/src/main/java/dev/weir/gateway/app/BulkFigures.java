package dev.weir.gateway.app;

import dev.weir.gateway.observe.Metrics;
import dev.weir.routing.write.DirectedShards;
import java.util.LinkedHashMap;
import java.util.Map;

/** What became of bulks, for operators. */
final class BulkFigures {
  private BulkFigures() {}

  static Map<String, Object> stats(DirectedShards directed) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("directed_bulks", directed.bulks());
    shown.put("directed_documents", directed.documents());
    return shown;
  }

  static void bind(DirectedShards directed, Metrics metrics) {
    metrics
        .counter(
            "weir_bulk_directed",
            "Bulks whose documents without an id went to one shard of an index",
            directed::bulks)
        .counter(
            "weir_bulk_directed_documents",
            "Documents without an id that went to a chosen shard",
            directed::documents);
  }
}
