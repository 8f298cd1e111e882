package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.InternalAggregations;

/** The rows of one aggregation table, which is named by its path. Used by one thread. */
final class AggregationRows implements RowSource {
  private final Aggregations aggregations;
  private final String path;
  private final Columns columns = new Columns();

  private AggregationRows(RequestedTables requested, Aggregations aggregations, String path) {
    this.aggregations = aggregations;
    this.path = path;
    requested.declare(path, columns);
  }

  /**
   * Selects a table by name. Without a name it selects the only table, or the innermost one where
   * every table is nested in the table before.
   *
   * @param requested the tables that exist even without buckets
   * @throws IllegalArgumentException if there is no such table
   */
  static RowSource select(
      RequestedTables requested, @Nullable Aggregations aggregations, @Nullable String name)
      throws IOException {
    Aggregations all = aggregations == null ? InternalAggregations.EMPTY : aggregations;
    Map<String, Integer> rows = new LinkedHashMap<>();
    requested.paths().forEach(path -> rows.put(path, 0));
    countRowsByPath(all).forEach(rows::put);
    Set<String> paths = rows.keySet();
    if (name == null) {
      return new AggregationRows(requested, all, deepestPath(paths));
    }
    if (!paths.contains(name) && !isWithinEmpty(rows, name)) {
      throw new IllegalArgumentException(
          "got ["
              + name
              + "] for ["
              + ColumnarResponseFormat.TABLE_PARAMETER
              + "] (expected: one of "
              + describePaths(paths)
              + ")");
    }
    return new AggregationRows(requested, all, name);
  }

  /**
   * Returns all tables by path; the row outside of all buckets only if it has columns.
   *
   * @param requested the tables that exist even without buckets
   */
  static Map<String, RowSource> all(RequestedTables requested, @Nullable Aggregations aggregations)
      throws IOException {
    Aggregations all = aggregations == null ? InternalAggregations.EMPTY : aggregations;
    Set<String> paths = new LinkedHashSet<>(requested.paths());
    paths.addAll(countRowsByPath(all).keySet());
    Map<String, RowSource> tables = new LinkedHashMap<>();
    for (String path : paths) {
      RowSource rows = new AggregationRows(requested, all, path);
      if (path.equals(AggregationTabulator.ROOT)) {
        rows.forEachRow(_ -> {}); // its columns may be known only then
      }
      if (!path.equals(AggregationTabulator.ROOT) || rows.columns().size() > 0) {
        tables.put(path, rows);
      }
    }
    return tables;
  }

  /** A table may be missing because no outer bucket contains it. */
  private static boolean isWithinEmpty(Map<String, Integer> rows, String name) {
    int end = name.lastIndexOf('>');
    if (end < 0) {
      return false;
    }
    String outer = name.substring(0, end);
    Integer found = rows.get(outer);
    return found == null ? isWithinEmpty(rows, outer) : found == 0;
  }

  private static List<String> describePaths(Set<String> paths) {
    List<String> names = new ArrayList<>(paths);
    names.addFirst(ColumnarResponseFormat.HITS_TABLE);
    return names;
  }

  private static String deepestPath(Set<String> paths) {
    String deepest = AggregationTabulator.ROOT;
    for (String path : paths) {
      if (!deepest.equals(AggregationTabulator.ROOT) && !path.startsWith(deepest + ">")) {
        throw new IllegalArgumentException(
            "got several tables and no ["
                + ColumnarResponseFormat.TABLE_PARAMETER
                + "] (expected: one of "
                + describePaths(paths)
                + ")");
      }
      deepest = path;
    }
    return deepest;
  }

  /** Counts the rows of each table; outer tables come before the tables nested in them. */
  private static Map<String, Integer> countRowsByPath(Aggregations all) throws IOException {
    Map<String, Integer> rows = new LinkedHashMap<>();
    AggregationTabulator.TableProvider none =
        new AggregationTabulator.TableProvider() {
          @Override
          public @Nullable AggregationTableBuilder tableAt(String path) {
            rows.merge(path, 1, Integer::sum);
            return null;
          }

          @Override
          public boolean isWanted(String path) {
            rows.putIfAbsent(path, 0);
            return true;
          }
        };
    new AggregationTabulator(none).writeTables(all);
    return rows;
  }

  @Override
  public Columns columns() {
    return columns;
  }

  @Override
  public void forEachRow(RowSink sink) throws IOException {
    AggregationTableBuilder table = new AggregationTableBuilder(columns, sink);
    AggregationTabulator.TableProvider one =
        new AggregationTabulator.TableProvider() {
          @Override
          public @Nullable AggregationTableBuilder tableAt(String at) {
            return at.equals(path) ? table : null;
          }

          @Override
          public boolean isWanted(String at) {
            return path.equals(at) || path.startsWith(at + ">");
          }
        };
    new AggregationTabulator(one).writeTables(aggregations);
  }

  static boolean isCompound(Object key) {
    return key instanceof Map<?, ?> || key instanceof Collection<?>;
  }
}
