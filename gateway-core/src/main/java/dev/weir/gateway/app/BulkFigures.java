package dev.weir.gateway.app;

import dev.weir.gateway.observe.Metrics;
import dev.weir.gateway.parse.StreamedBulks;
import dev.weir.routing.write.DirectedShards;
import java.util.LinkedHashMap;
import java.util.Map;

/** What became of bulks, for operators. */
final class BulkFigures {
  private BulkFigures() {}

  static Map<String, Object> stats(DirectedShards directed, StreamedBulks streamed) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("directed_bulks", directed.bulks());
    shown.put("directed_documents", directed.documents());
    shown.put("streamed_bulks", streamed.bulks());
    shown.put("streamed_sections", streamed.sections());
    shown.put("streamed_sections_left_to_nodes", streamed.leftToNodes());
    shown.put("streamed_cut_short", streamed.cutShort());
    return shown;
  }

  static void bind(StreamedBulks streamed, Metrics metrics) {
    metrics
        .counter(
            "weir_bulk_streamed",
            "Large bulks that were carried out while they came",
            streamed::bulks)
        .counter(
            "weir_bulk_streamed_sections",
            "Sections of such bulks that were carried out",
            streamed::sections)
        .counter(
            "weir_bulk_streamed_sections_left_to_nodes",
            "Sections of such bulks that a node carried out as a whole",
            streamed::leftToNodes)
        .counter(
            "weir_bulk_streamed_cut_short",
            "Such bulks that were not carried out to their end",
            streamed::cutShort);
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
