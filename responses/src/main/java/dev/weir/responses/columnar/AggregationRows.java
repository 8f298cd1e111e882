package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.Rows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.InternalAggregations;

/** One of the tables of aggregations, by its path. Used by one thread. */
final class AggregationRows implements Rows {
  private final Aggregations aggregations;
  private final String path;
  private final Columns columns = new Columns();

  private AggregationRows(AskedTables asked, Aggregations aggregations, String path) {
    this.aggregations = aggregations;
    this.path = path;
    asked.declare(path, columns);
  }

  /**
   * The table of a name; where none is named the one that there is, which is the deepest where each
   * lies in the one before.
   *
   * @param asked those that are there whatever was found
   * @throws IllegalArgumentException where there is no such one
   */
  static Rows chosen(AskedTables asked, @Nullable Aggregations aggregations, @Nullable String name)
      throws IOException {
    Aggregations all = aggregations == null ? InternalAggregations.EMPTY : aggregations;
    Map<String, Integer> rows = new LinkedHashMap<>();
    asked.paths().forEach(path -> rows.put(path, 0));
    rowsByPath(all).forEach(rows::put);
    Set<String> paths = rows.keySet();
    if (name == null) {
      return new AggregationRows(asked, all, deepest(paths));
    }
    if (!paths.contains(name) && !liesInEmpty(rows, name)) {
      throw new IllegalArgumentException(
          "got ["
              + name
              + "] for ["
              + ColumnarAnswer.TABLE
              + "] (expected: one of "
              + shown(paths)
              + ")");
    }
    return new AggregationRows(asked, all, name);
  }

  /** Whether a table may be missing because there is no bucket that it could lie in. */
  private static boolean liesInEmpty(Map<String, Integer> rows, String name) {
    int end = name.lastIndexOf('>');
    if (end < 0) {
      return false;
    }
    String outer = name.substring(0, end);
    Integer found = rows.get(outer);
    return found == null ? liesInEmpty(rows, outer) : found == 0;
  }

  private static List<String> shown(Set<String> paths) {
    List<String> names = new ArrayList<>(paths);
    names.addFirst(ColumnarAnswer.HITS);
    return names;
  }

  private static String deepest(Set<String> paths) {
    String deepest = AggregationWalk.ROOT;
    for (String path : paths) {
      if (!deepest.equals(AggregationWalk.ROOT) && !path.startsWith(deepest + ">")) {
        throw new IllegalArgumentException(
            "got several tables and no ["
                + ColumnarAnswer.TABLE
                + "] (expected: one of "
                + shown(paths)
                + ")");
      }
      deepest = path;
    }
    return deepest;
  }

  /** How many rows each table has, each behind the one that it lies in. */
  private static Map<String, Integer> rowsByPath(Aggregations all) throws IOException {
    Map<String, Integer> rows = new LinkedHashMap<>();
    AggregationWalk.Tables none =
        new AggregationWalk.Tables() {
          @Override
          public @Nullable AggregationTable at(String path) {
            rows.merge(path, 1, Integer::sum);
            return null;
          }

          @Override
          public boolean wanted(String path) {
            rows.putIfAbsent(path, 0);
            return true;
          }
        };
    new AggregationWalk(none).walk(all);
    return rows;
  }

  @Override
  public Columns columns() {
    return columns;
  }

  @Override
  public void each(RowSink sink) throws IOException {
    AggregationTable table = new AggregationTable(columns, sink);
    AggregationWalk.Tables one =
        new AggregationWalk.Tables() {
          @Override
          public @Nullable AggregationTable at(String at) {
            return at.equals(path) ? table : null;
          }

          @Override
          public boolean wanted(String at) {
            return path.equals(at) || path.startsWith(at + ">");
          }
        };
    new AggregationWalk(one).walk(aggregations);
  }

  /** Whether a key is made of several. */
  static boolean isCompound(Object key) {
    return key instanceof Map<?, ?> || key instanceof Collection<?>;
  }
}
