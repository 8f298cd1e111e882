package dev.weir.observe;

import dev.weir.observe.MetricTable.Column;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;

/**
 * Combines the metrics of several parts of the gateway, such as its clusters, under a label with
 * the part's name. First each part registers its metrics, then {@link #registerIn} registers the
 * combined ones. For one thread.
 */
public final class LabelledMetricRegistry {
  private final String label;
  private final Map<String, List<PartTable<?>>> byName = new LinkedHashMap<>();

  /** The table of one part. */
  private record PartTable<T>(String name, MetricTable<T> table) {
    List<Row<T>> rows() {
      return table.rows().get().stream().map(row -> new Row<>(this, row)).toList();
    }
  }

  /** A row of that table. */
  private record Row<T>(PartTable<T> part, T row) {
    double value(int column) {
      return part.table().columns().get(column).value().applyAsDouble(row);
    }

    Map<String, String> labels(String label) {
      Map<String, String> labels = new HashMap<>(part.table().labels().apply(row));
      labels.put(label, part.name());
      return labels;
    }
  }

  /**
   * Creates an empty registry.
   *
   * @param label the label with the part's name
   */
  public LabelledMetricRegistry(String label) {
    this.label = label;
  }

  /** The registry of one part. Every part must register the same metrics. */
  public MetricRegistry forPart(String part) {
    return new PartRegistry(part);
  }

  /** Registers the combined metrics. */
  public void registerIn(MetricRegistry all) {
    byName.values().forEach(parts -> all.table(merge(parts)));
  }

  private MetricTable<Row<?>> merge(List<PartTable<?>> parts) {
    List<Column<Row<?>>> columns = new ArrayList<>();
    for (Column<?> column : parts.getFirst().table().columns()) {
      int place = columns.size();
      columns.add(
          new Column<>(column.name(), column.help(), column.counter(), row -> row.value(place)));
    }
    return new MetricTable<>(
        () -> {
          List<List<? extends Row<?>>> rows = new ArrayList<>();
          parts.forEach(part -> rows.add(part.rows()));
          return interleave(rows, MetricTable.MAX_ROWS);
        },
        row -> row.labels(label),
        columns);
  }

  /**
   * Selects the rows of a scrape: every part has an equal share of the maximum, and parts with more
   * rows use the unused rest.
   */
  private static List<Row<?>> interleave(List<List<? extends Row<?>>> parts, int maxRows) {
    List<List<? extends Row<?>>> smallestFirst = new ArrayList<>(parts);
    smallestFirst.sort(Comparator.comparingInt(List::size));
    List<Row<?>> rows = new ArrayList<>();
    int left = smallestFirst.size();
    for (List<? extends Row<?>> part : smallestFirst) {
      int share = (maxRows - rows.size()) / left--;
      rows.addAll(part.subList(0, Math.min(part.size(), share)));
    }
    return rows;
  }

  private final class PartRegistry implements MetricRegistry {
    private final String part;

    PartRegistry(String part) {
      this.part = part;
    }

    @Override
    public MetricRegistry gauge(String name, String help, DoubleSupplier value) {
      return addSingleRow(Column.gauge(name, help, DoubleSupplier::getAsDouble), value);
    }

    @Override
    public MetricRegistry counter(String name, String help, DoubleSupplier value) {
      return addSingleRow(Column.counter(name, help, DoubleSupplier::getAsDouble), value);
    }

    private MetricRegistry addSingleRow(Column<DoubleSupplier> column, DoubleSupplier value) {
      return table(new MetricTable<>(() -> List.of(value), row -> Map.of(), List.of(column)));
    }

    @Override
    public <T> MetricRegistry table(MetricTable<T> table) {
      byName
          .computeIfAbsent(table.columns().getFirst().name(), name -> new ArrayList<>())
          .add(new PartTable<>(part, table));
      return this;
    }
  }
}
