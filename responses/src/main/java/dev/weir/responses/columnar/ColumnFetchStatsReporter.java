package dev.weir.responses.columnar;

import dev.weir.core.reduce.columns.ColumnFetchCounts;
import dev.weir.observe.MetricRegistry;
import dev.weir.observe.MetricTable;
import dev.weir.observe.MetricTable.Column;
import dev.weir.observe.StatsReporter;
import java.util.List;
import java.util.Map;

/**
 * Reports what nodes returned that were asked for columns: the section {@code column_fetch} of
 * {@code /stats}, and its metric.
 */
public record ColumnFetchStatsReporter(ColumnFetchCounts counts) implements StatsReporter {
  private static final String COLUMNS = "columns";
  private static final String HITS = "hits";

  @Override
  public Map<String, Object> sections() {
    return Map.of("column_fetch", Map.of(COLUMNS, counts.columns(), HITS, counts.hits()));
  }

  @Override
  public void bind(MetricRegistry metrics) {
    metrics.table(
        new MetricTable<String>(
            () -> List.of(COLUMNS, HITS),
            form -> Map.of("form", form),
            List.of(
                Column.counter(
                    "weir_column_fetch_replies",
                    "Replies of shards that were asked for columns, by what they have",
                    form -> form.equals(COLUMNS) ? counts.columns() : counts.hits()))));
  }
}
