package dev.weir.core.actions.forward;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports the searches of multi-searches that nodes coordinate: the section {@code
 * forwarded_searches} of {@code /stats}, and its metrics.
 */
public record ForwardedSearchStatsReporter(ForwardedSearchCounts counts) implements StatsReporter {
  @Override
  public Map<String, Object> sections() {
    Map<String, Object> shown = new LinkedHashMap<>();
    for (String reason : ForwardedSearchCounts.REASONS) {
      shown.put(reason.replace('-', '_'), counts.searches(reason));
    }
    shown.put("retries", counts.retries());
    shown.put("fallbacks", counts.fallbacks());
    return Map.of("forwarded_searches", shown);
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics
        .table(
            new MetricTable<String>(
                () -> ForwardedSearchCounts.REASONS,
                reason -> Map.of("reason", reason),
                List.of(
                    Column.counter(
                        "weir_forwarded_searches",
                        "Searches of a multi-search that a node coordinated, by reason",
                        counts::searches))))
        .counter(
            "weir_forwarded_search_retries",
            "Forwarded searches sent to one more node",
            counts::retries)
        .counter(
            "weir_forwarded_search_fallbacks",
            "Multi-searches that passed through after one of their searches was forwarded",
            counts::fallbacks);
  }
}
