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
            "Values of keyword fields that were cut",
            wayIn.keywordTruncation()::truncatedValues)
        .counter(
            "weir_bulk_truncated_documents",
            "Documents in which values of keyword fields were cut",
            wayIn.keywordTruncation()::truncatedDocuments)
        .counter(
            "weir_bulk_merged_shard_requests",
            "Parts of small bulks that went to their shard together with others",
            merging::mergedParts)
        .counter("weir_bulk_merge_calls", "Calls that they went in", merging::mergedCalls)
        .counter(
            "weir_bulk_merge_misses",
            "Parts of small bulks that waited for others and went alone",
            merging::misses)
        .gauge(
            "weir_bulk_merge_waiting_shard_requests",
            "Parts of small bulks that wait for others",
            merging::waitingParts);
  }
}
