package dev.weir.core.actions.ingest;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports the bulks whose pipelines nodes ran for the gateway: the section {@code ingest_pipelines}
 * of {@code /stats}, and its metrics.
 */
public record IngestStatsReporter(IngestCounts counts) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("bulks", counts.bulks());
    shown.put("documents", counts.documents());
    shown.put("retries", counts.retries());
    shown.put("fallbacks", counts.fallbacks());
    return Map.of("ingest_pipelines", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .counter(
            "weir_bulk_ingested_requests",
            "Bulks whose ingest pipelines a node ran for the gateway",
            counts::bulks)
        .counter(
            "weir_bulk_ingested_documents",
            "Documents that came back from ingest pipelines",
            counts::documents)
        .counter(
            "weir_bulk_ingest_retries",
            "Calls to one more node for the ingest pipelines of a bulk",
            counts::retries)
        .counter(
            "weir_bulk_ingest_fallbacks",
            "Bulks that passed through because no node returned their documents",
            counts::fallbacks);
  }
}
