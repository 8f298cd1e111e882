package dev.weir.gateway;

import dev.weir.admission.queue.NodeBytes;
import dev.weir.core.coordinate.WriteFlow;
import dev.weir.observe.Figures;
import dev.weir.observe.NodeTable;
import dev.weir.observe.NodeTable.Column;
import dev.weir.rest.StreamedBulks;
import dev.weir.routing.write.DirectedShards;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of bulks, for operators. */
final class BulkFigures {
  private BulkFigures() {}

  static Map<String, Object> stats(Backend backend, StreamedBulks streamed) {
    DirectedShards directed = backend.directed();
    WriteFlow flow = backend.flow();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("directed_bulks", directed.bulks());
    shown.put("directed_documents", directed.documents());
    Map<String, Object> again = new LinkedHashMap<>();
    for (WriteFlow.Again why : WriteFlow.Again.values()) {
      again.put(why.label(), flow.sentAgainFor(why));
    }
    shown.put("sent_again", again);
    shown.put("refused_for_good", flow.givenUp());
    List<Object> nodes = new ArrayList<>();
    for (NodeBytes bytes : backend.queues().lanes().allBytes()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("node", bytes.nodeId());
      row.put("bytes", bytes.underWay());
      row.put("limit", bytes.limit());
      row.put("waiting", bytes.waiting());
      nodes.add(row);
    }
    shown.put("nodes", nodes);
    shown.put("streamed_bulks", streamed.bulks());
    shown.put("streamed_sections", streamed.sections());
    shown.put("streamed_sections_left_to_nodes", streamed.leftToNodes());
    shown.put("streamed_cut_short", streamed.cutShort());
    return shown;
  }

  static void bind(StreamedBulks streamed, Figures metrics) {
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

  static void bind(Backend backend, Figures metrics) {
    DirectedShards directed = backend.directed();
    WriteFlow flow = backend.flow();
    metrics
        .counter(
            "weir_bulk_directed",
            "Bulks whose documents without an id went to one shard of an index",
            directed::bulks)
        .counter(
            "weir_bulk_directed_documents",
            "Documents without an id that went to a chosen shard",
            directed::documents)
        .counter(
            "weir_write_refused_for_good",
            "Pieces of writes that were told a refusal of their node, after as many attempts as"
                + " they have",
            flow::givenUp)
        .table(
            new NodeTable<WriteFlow.Again>(
                () -> List.of(WriteFlow.Again.values()),
                why -> Map.of("reason", why.label()),
                List.of(
                    Column.counter(
                        "weir_write_sent_again",
                        "Pieces of writes that were refused and sent again after a pause",
                        flow::sentAgainFor))))
        .table(
            new NodeTable<NodeBytes>(
                () -> backend.queues().lanes().allBytes(),
                node -> Map.of("node", node.nodeId()),
                List.of(
                    Column.gauge(
                        "weir_write_bytes",
                        "Bytes of writes that a node has under way",
                        NodeBytes::underWay),
                    Column.gauge(
                        "weir_write_bytes_limit",
                        "Bytes of writes that a node may have under way",
                        NodeBytes::limit),
                    Column.gauge(
                        "weir_write_bytes_waiting",
                        "Pieces of writes that wait until a node may have more bytes",
                        NodeBytes::waiting))));
  }
}
