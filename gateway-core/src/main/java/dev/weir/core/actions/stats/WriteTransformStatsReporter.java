package dev.weir.core.actions.stats;

import dev.weir.core.actions.WriteTransforms;
import dev.weir.core.actions.merge.BulkMergeCounts;
import dev.weir.core.actions.truncate.UntruncatedReason;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports bulks that stayed lines, truncated values and merged bulks, as a part of {@link
 * BulkStatsReporter}.
 */
record WriteTransformStatsReporter(WriteTransforms transforms) {
  /** Adds its entries to the section of bulks. */
  void addTo(Map<String, Object> shown) {
    shown.put("line_bulks", transforms.lineBulks().bulks());
    shown.put("line_documents", transforms.lineBulks().documents());
    shown.put("truncated_values", transforms.keywordTruncation().truncatedValues());
    shown.put("truncated_documents", transforms.keywordTruncation().truncatedDocuments());
    Map<String, Long> untruncated = new LinkedHashMap<>();
    for (UntruncatedReason reason : UntruncatedReason.values()) {
      untruncated.put(reason.label(), transforms.keywordTruncation().untruncatedDocuments(reason));
    }
    shown.put("untruncated_documents", untruncated);
    BulkMergeCounts merging = transforms.bulkMerger().counts();
    shown.put("merged_shard_requests", merging.mergedParts());
    shown.put("merge_calls", merging.mergedCalls());
    shown.put("merge_misses", merging.misses());
    shown.put("merge_waiting_shard_requests", merging.waitingParts());
  }

  void bind(MetricRegistry metrics) {
    BulkMergeCounts merging = transforms.bulkMerger().counts();
    metrics
        .counter(
            "weir_bulk_line_requests",
            "Bulks whose documents stayed lines of the request's body",
            transforms.lineBulks()::bulks)
        .counter(
            "weir_bulk_line_documents",
            "Documents of these bulks",
            transforms.lineBulks()::documents)
        .counter(
            "weir_bulk_truncated_values",
            "Truncated values of keyword fields",
            transforms.keywordTruncation()::truncatedValues)
        .counter(
            "weir_bulk_truncated_documents",
            "Documents with truncated values",
            transforms.keywordTruncation()::truncatedDocuments)
        .table(
            new MetricTable<UntruncatedReason>(
                () -> List.of(UntruncatedReason.values()),
                reason -> Map.of("reason", reason.label()),
                List.of(
                    Column.counter(
                        "weir_bulk_untruncated_documents",
                        "Documents with a value that was too long for a keyword field and was left"
                            + " alone, by reason",
                        transforms.keywordTruncation()::untruncatedDocuments))))
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
