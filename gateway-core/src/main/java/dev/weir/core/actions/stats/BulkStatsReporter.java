package dev.weir.core.actions.stats;

import dev.weir.admission.queue.NodeWriteBytesLimiter;
import dev.weir.core.actions.WriteTransforms;
import dev.weir.core.coordinate.flow.WriteFlowController;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import dev.weir.rest.StreamingBulkCounts;
import dev.weir.routing.write.BulkShardSelector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reports what one cluster's bulks did: the section {@code bulk} of {@code /stats}, and its
 * metrics.
 *
 * @param nodeLimiters the limiters of the write bytes in flight, one for each node
 */
public record BulkStatsReporter(
    BulkShardSelector singleShardBulks,
    WriteFlowController flow,
    Supplier<List<NodeWriteBytesLimiter>> nodeLimiters,
    StreamingBulkCounts streamed,
    WriteTransforms transforms)
    implements StatsReporter {

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("single_shard_bulks", singleShardBulks.bulks());
    shown.put("single_shard_documents", singleShardBulks.documents());
    Map<String, Object> retries = new LinkedHashMap<>();
    for (WriteFlowController.RetryReason reason : WriteFlowController.RetryReason.values()) {
      retries.put(reason.label(), flow.retriesFor(reason));
    }
    shown.put("retries", retries);
    shown.put("rejections", flow.rejections());
    List<Object> nodes = new ArrayList<>();
    for (NodeWriteBytesLimiter limiter : nodeLimiters.get()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("node", limiter.nodeId());
      row.put("in_flight_bytes", limiter.inFlightBytes());
      row.put("limit_bytes", limiter.limitBytes());
      row.put("waiting_shard_requests", limiter.waiting());
      nodes.add(row);
    }
    shown.put("nodes", nodes);
    shown.put("streamed_bulks", streamed.bulks());
    shown.put("streamed_sections", streamed.sections());
    shown.put("streamed_forwarded_sections", streamed.forwardedSections());
    shown.put("streamed_aborts", streamed.abortedBulks());
    new WriteTransformStatsReporter(transforms).addTo(shown);
    return Map.of("bulk", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    bindStreaming(metrics);
    bindWrites(metrics);
    new WriteTransformStatsReporter(transforms).bind(metrics);
  }

  private void bindStreaming(MetricRegistry metrics) {
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

  private void bindWrites(MetricRegistry metrics) {
    metrics
        .counter(
            "weir_bulk_single_shard_requests",
            "Bulks whose documents without an id went to one shard of their index",
            singleShardBulks::bulks)
        .counter(
            "weir_bulk_single_shard_documents",
            "Documents without an id that went to a selected shard",
            singleShardBulks::documents)
        .counter(
            "weir_write_rejections",
            "Shard requests that ended with a rejection: by their node, or because they could not"
                + " be sent to it in time",
            flow::rejections)
        .table(
            new MetricTable<WriteFlowController.RetryReason>(
                () -> List.of(WriteFlowController.RetryReason.values()),
                reason -> Map.of("reason", reason.label()),
                List.of(
                    Column.counter(
                        "weir_write_retries",
                        "Shard requests sent again after a backoff, by reason",
                        flow::retriesFor))))
        .table(
            new MetricTable<NodeWriteBytesLimiter>(
                nodeLimiters,
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
