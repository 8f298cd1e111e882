package dev.weir.responses.trim;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reports what trimming saved: the section {@code trimming} of {@code /stats}, and its metrics. */
public record TrimmingStatsReporter(ResponseTrimmer trimming) implements StatsReporter {

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> profiles = new TreeMap<>();
    for (TrimCounts counts : trimming.profileCounts()) {
      Map<String, Object> shown = new LinkedHashMap<>();
      shown.put("responses", counts.trimmedResponses());
      shown.put("saved_bytes", counts.savedBytes());
      shown.put("skipped_fetches", counts.skippedFetches());
      shown.put("skipped_documents", counts.skippedDocuments());
      profiles.put(counts.profile(), shown);
    }
    return Map.of("trimming", profiles);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<TrimCounts>(
            trimming::profileCounts,
            counts -> Map.of("profile", counts.profile()),
            List.of(
                Column.counter(
                    "weir_trimming_responses",
                    "Search responses that were trimmed",
                    TrimCounts::trimmedResponses),
                Column.counter(
                    "weir_trimming_saved_bytes",
                    "Bytes of compact JSON left out of responses",
                    TrimCounts::savedBytes),
                Column.counter(
                    "weir_trimming_skipped_fetches",
                    "Searches with hits that needed no fetch phase",
                    TrimCounts::skippedFetches),
                Column.counter(
                    "weir_trimming_skipped_documents",
                    "Hits fetched without their documents",
                    TrimCounts::skippedDocuments))));
  }
}
