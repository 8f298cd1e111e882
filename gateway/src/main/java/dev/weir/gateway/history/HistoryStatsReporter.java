package dev.weir.gateway.history;

import dev.weir.observe.MetricRegistry;
import dev.weir.observe.StatsReporter;
import dev.weir.observe.admin.AdminPageRegistry;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports the last hour: the pages {@code /history} and {@code /requests}, and the section {@code
 * usage} of {@code /stats}. It has no metrics: names that clients choose are no labels.
 */
public record HistoryStatsReporter(RequestHistory history) implements StatsReporter {
  /** The names in {@code /stats}. */
  private static final int TOP_NAMES = 20;

  @Override
  public void bind(MetricRegistry metrics) {}

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> usage = new LinkedHashMap<>();
    usage.put("by_index", history.byIndex().toMap(TOP_NAMES));
    usage.put("by_tenant", history.byTenant().toMap(TOP_NAMES));
    return Map.of("usage", usage);
  }

  @Override
  public void addPages(AdminPageRegistry site) {
    site.getWithQuery("/history", new HistoryPage(history)::show)
        .getWithQuery("/requests", new RequestsPage(history)::show);
  }
}
