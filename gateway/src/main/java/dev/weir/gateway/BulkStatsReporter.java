package dev.weir.gateway;

import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.core.coordinate.WriteFlowController;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.rest.StreamingBulkCounts;
import dev.weir.routing.write.BulkShardSelector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What became of bulks, for operators. */
final class BulkStatsReporter {
  private BulkStatsReporter() {}

  static Map<String, Object> toMap(ClusterConnection backend, StreamingBulkCounts streamed) {
    BulkShardSelector directed = backend.bulkShards();
    WriteFlowController flow = backend.writeFlow();
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("single_shard_bulks", directed.bulks());
    shown.put("single_shard_documents", directed.documents());
    Map<String, Object> again = new LinkedHashMap<>();
    for (WriteFlowController.RetryReason why : WriteFlowController.RetryReason.values()) {
      again.put(why.label(), flow.retriesFor(why));
    }
    shown.put("retries", again);
    shown.put("rejections", flow.rejections());
    List<Object> nodes = new ArrayList<>();
    for (NodeWriteBytesLimiter bytes : backend.admissionQueues().lanes().allWriteBytesLimiters()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("node", bytes.nodeId());
      row.put("in_flight_bytes", bytes.inFlightBytes());
      row.put("limit_bytes", bytes.limitBytes());
      row.put("waiting_shard_requests", bytes.waiting());
      nodes.add(row);
    }
    shown.put("nodes", nodes);
    shown.put("streamed_bulks", streamed.bulks());
    shown.put("streamed_sections", streamed.sections());
    shown.put("streamed_forwarded_sections", streamed.forwardedSections());
    shown.put("streamed_aborts", streamed.abortedBulks());
    return shown;
  }

  static void bind(StreamingBulkCounts streamed, MetricRegistry metrics) {
    metrics
        .counter(
            "weir_bulk_streamed_requests",
            "Large bulks executed while their body arrived",
            streamed::bulks)
        .counter(
            "weir_bulk_streamed_sections",
            "Executed sections of streamed bulks",
            streamed::sections)
        .counter(
            "weir_bulk_streamed_forwarded_sections",
            "Sections of streamed bulks forwarded whole to a node",
            streamed::forwardedSections)
        .counter(
            "weir_bulk_streamed_aborts", "Streamed bulks that ended early", streamed::abortedBulks);
  }

  static void bind(ClusterConnection backend, MetricRegistry metrics) {
    BulkShardSelector directed = backend.bulkShards();
    WriteFlowController flow = backend.writeFlow();
    metrics
        .counter(
            "weir_bulk_single_shard_requests",
            "Bulks whose documents without an id went to one shard of their index",
            directed::bulks)
        .counter(
            "weir_bulk_single_shard_documents",
            "Documents without an id that went to a selected shard",
            directed::documents)
        .counter(
            "weir_write_rejections",
            "Shard requests that ended with a node's rejection because no retry or no time was"
                + " left",
            flow::rejections)
        .table(
            new MetricTable<WriteFlowController.RetryReason>(
                () -> List.of(WriteFlowController.RetryReason.values()),
                why -> Map.of("reason", why.label()),
                List.of(
                    Column.counter(
                        "weir_write_retries",
                        "Shard requests sent again after a backoff, by reason",
                        flow::retriesFor))))
        .table(
            new MetricTable<NodeWriteBytesLimiter>(
                () -> backend.admissionQueues().lanes().allWriteBytesLimiters(),
                node -> Map.of("node", node.nodeId()),
                List.of(
                    Column.gauge(
                        "weir_write_in_flight_bytes",
                        "Bytes of writes in flight to a node",
                        NodeWriteBytesLimiter::inFlightBytes),
                    Column.gauge(
                        "weir_write_in_flight_limit_bytes",
                        "Limit of the bytes of writes in flight to a node",
                        NodeWriteBytesLimiter::limitBytes),
                    Column.gauge(
                        "weir_write_waiting_shard_requests",
                        "Shard requests that wait for the limit of bytes of their node",
                        NodeWriteBytesLimiter::waiting))));
  }
}
