package dev.weir.gateway.stats;

import dev.weir.http.connection.ConnectionCounts;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reports the client connections that the gateway refused or closed: the section {@code
 * connections} of {@code /stats}, and its metrics.
 */
public record ConnectionStatsReporter(ConnectionCounts counts) implements StatsReporter {
  private static final List<ConnectionCounts.Reason> REASONS =
      List.of(ConnectionCounts.Reason.values());

  @Override
  public Map<String, Object> sections() {
    Map<String, Object> closed = new LinkedHashMap<>();
    REASONS.forEach(reason -> closed.put(reason.label(), counts.count(reason)));
    return Map.of("connections", Map.of("closed_by_reason", closed));
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<ConnectionCounts.Reason>(
            () -> REASONS,
            reason -> Map.of("reason", reason.label()),
            List.of(
                Column.counter(
                    "weir_http_closed_connections",
                    "Client connections and HTTP/2 streams that the gateway refused or closed",
                    counts::count))));
  }
}
