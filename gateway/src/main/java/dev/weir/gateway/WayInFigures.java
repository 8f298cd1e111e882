package dev.weir.gateway;

import dev.weir.core.actions.WayIn;
import dev.weir.core.actions.merge.MergeCounts;
import dev.weir.observe.Figures;
import java.util.LinkedHashMap;
import java.util.Map;

/** What became of writes on their way in, for operators. */
final class WayInFigures {
  private WayInFigures() {}

  /** Adds them to those of bulks. */
  static Map<String, Object> stats(Map<String, Object> bulks, WayIn wayIn) {
    Map<String, Object> shown = new LinkedHashMap<>(bulks);
    shown.put("truncated_values", wayIn.truncation().values());
    shown.put("truncated_documents", wayIn.truncation().documents());
    MergeCounts merging = wayIn.merging().counts();
    shown.put("merged", merging.merged());
    shown.put("merged_calls", merging.calls());
    shown.put("merge_in_vain", merging.inVain());
    shown.put("merge_waiting", merging.waiting());
    return shown;
  }

  static void bind(WayIn wayIn, Figures metrics) {
    MergeCounts merging = wayIn.merging().counts();
    metrics
        .counter(
            "weir_bulk_truncated_values",
            "Values of keyword fields that were cut",
            wayIn.truncation()::values)
        .counter(
            "weir_bulk_truncated_documents",
            "Documents in which values of keyword fields were cut",
            wayIn.truncation()::documents)
        .counter(
            "weir_bulk_merged",
            "Parts of small bulks that went to their shard together with others",
            merging::merged)
        .counter("weir_bulk_merged_calls", "Calls that they went in", merging::calls)
        .counter(
            "weir_bulk_merge_in_vain",
            "Parts of small bulks that waited for others and went alone",
            merging::inVain)
        .gauge(
            "weir_bulk_merge_waiting",
            "Parts of small bulks that wait for others",
            merging::waiting);
  }
}
