package dev.weir.observe;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Metrics with one series for each row, read at each scrape: the series of a removed row disappear.
 *
 * @param rows the current rows, such as nodes or tenants; rows with equal labels count once
 * @param labels a row's labels, by name
 * @param columns the metrics
 */
public record MetricTable<T>(
    Supplier<? extends List<T>> rows,
    Function<T, Map<String, String>> labels,
    List<Column<T>> columns)
    implements MultiCollector {

  /**
   * Bounds the series of one scrape. The rows at the end are left out: if their order differs from
   * scrape to scrape, series, counters too, disappear and come back.
   */
  static final int MAX_ROWS = 2000;

  /**
   * One metric of the table.
   *
   * @param name the Prometheus name without {@code _total}
   * @param counter whether it is a counter
   */
  public record Column<T>(String name, String help, boolean counter, ToDoubleFunction<T> value) {
    /** A gauge. */
    public static <T> Column<T> gauge(String name, String help, ToDoubleFunction<T> value) {
      return new Column<>(name, help, false, value);
    }

    /** A counter. */
    public static <T> Column<T> counter(String name, String help, ToDoubleFunction<T> value) {
      return new Column<>(name, help, true, value);
    }
  }

  @Override
  public MetricSnapshots collect() {
    Map<Labels, T> shown = new TreeMap<>();
    for (T row : rows.get()) {
      if (shown.size() < MAX_ROWS) {
        shown.put(labelsOf(row), row);
      }
    }
    List<MetricSnapshot> snapshots = new ArrayList<>(columns.size());
    for (Column<T> column : columns) {
      snapshots.add(column.counter() ? counter(column, shown) : gauge(column, shown));
    }
    return new MetricSnapshots(snapshots);
  }

  private Labels labelsOf(T row) {
    Map<String, String> sorted = new TreeMap<>(labels.apply(row));
    return Labels.of(
        sorted.keySet().toArray(String[]::new), sorted.values().toArray(String[]::new));
  }

  private static <T> MetricSnapshot gauge(Column<T> column, Map<Labels, T> shown) {
    GaugeSnapshot.Builder builder = GaugeSnapshot.builder().name(column.name()).help(column.help());
    shown.forEach((labels, row) ->
        builder.dataPoint(
            GaugeDataPointSnapshot.builder()
                .labels(labels)
                .value(column.value().applyAsDouble(row))
                .build()));
    return builder.build();
  }

  private static <T> MetricSnapshot counter(Column<T> column, Map<Labels, T> shown) {
    CounterSnapshot.Builder builder =
        CounterSnapshot.builder().name(column.name()).help(column.help());
    shown.forEach((labels, row) ->
        builder.dataPoint(
            CounterDataPointSnapshot.builder()
                .labels(labels)
                .value(Math.max(0, column.value().applyAsDouble(row)))
                .build()));
    return builder.build();
  }
}
