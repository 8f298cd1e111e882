package dev.weir.gateway;

import dev.weir.core.actions.WriteTransforms;
import dev.weir.core.actions.merge.BulkMergeCounts;
import dev.weir.observe.MetricRegistry;
import java.util.LinkedHashMap;
import java.util.Map;

/** What became of writes on their way in, for operators. */
final class WriteTransformStatsReporter {
  private WriteTransformStatsReporter() {}

  /** Adds them to those of bulks. */
  static Map<String, Object> toMap(Map<String, Object> bulks, WriteTransforms wayIn) {
    Map<String, Object> shown = new LinkedHashMap<>(bulks);
    shown.put("truncated_values", wayIn.keywordTruncation().truncatedValues());
    shown.put("truncated_documents", wayIn.keywordTruncation().truncatedDocuments());
    BulkMergeCounts merging = wayIn.bulkMerger().counts();
    shown.put("merged_shard_requests", merging.mergedParts());
    shown.put("merge_calls", merging.mergedCalls());
    shown.put("merge_misses", merging.misses());
    shown.put("merge_waiting_shard_requests", merging.waitingParts());
    return shown;
  }

  static void bind(WriteTransforms wayIn, MetricRegistry metrics) {
    BulkMergeCounts merging = wayIn.bulkMerger().counts();
    metrics
        .counter(
            "weir_bulk_truncated_values",
            "Truncated values of keyword fields",
            wayIn.keywordTruncation()::truncatedValues)
        .counter(
            "weir_bulk_truncated_documents",
            "Documents with truncated values",
            wayIn.keywordTruncation()::truncatedDocuments)
        .counter(
            "weir_bulk_merged_shard_requests",
            "Shard requests of small bulks that were merged",
            merging::mergedParts)
        .counter(
            "weir_bulk_merge_calls",
            "Calls that carried merged shard requests",
            merging::mergedCalls)
        .counter(
            "weir_bulk_merge_misses",
            "Shard requests that waited to be merged and were sent alone",
            merging::misses)
        .gauge(
            "weir_bulk_merge_waiting_shard_requests",
            "Shard requests that wait to be merged",
            merging::waitingParts);
  }
}
