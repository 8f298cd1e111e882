package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.ComparisonVerdict.Kind;
import dev.weir.bluegreen.shadow.ComparisonVerdict.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares columnar responses by the rows that both have. Columns do not show which rows have equal
 * sort values, so rows that differ in order or presence are not comparable.
 */
final class ColumnarComparator {
  private static final String COLUMNS = "columns";
  private static final String VALUES = "values";
  private static final String AGGREGATIONS = "aggregations";
  private static final String DOC_COUNT = "doc_count";

  /** Columns of a hit that are not part of the document. */
  private static final Set<String> METADATA_FIELDS =
      Set.of(
          "_index",
          "_id",
          "_score",
          "_version",
          "_seq_no",
          "_primary_term",
          "_routing",
          "_ignored",
          "_matched_queries");

  private final DifferenceCollector differences;
  private final AggregationComparator aggregations;

  ColumnarComparator(DifferenceCollector findings, AggregationComparator aggregations) {
    this.differences = findings;
    this.aggregations = aggregations;
  }

  /** Whether a search response is columnar. */
  static boolean hasColumns(Map<String, Object> answer) {
    if (answer.containsKey(COLUMNS) || answer.containsKey(VALUES)) {
      return true;
    }
    Map<String, Object> named = JsonComparison.asObject(answer.get(AGGREGATIONS));
    Map<String, Object> hits = JsonComparison.asObject(answer.get("hits"));
    return named != null
        && !named.isEmpty()
        && (hits == null || !hits.containsKey("hits"))
        && named.values().stream().allMatch(ColumnarComparator::isTable);
  }

  private static boolean isTable(Object value) {
    Map<String, Object> object = JsonComparison.asObject(value);
    return object != null
        && JsonComparison.asArray(object.get(COLUMNS)) != null
        && JsonComparison.asArray(object.get(VALUES)) != null;
  }

  /** Compares two responses, at least one of them columnar. */
  void compare(Map<String, Object> primary, Map<String, Object> shadow) {
    if (primary.containsKey(VALUES) || shadow.containsKey(VALUES)) {
      compareTables(VALUES, Kind.SOURCE, primary, shadow);
    }
    Map<String, Object> one = JsonComparison.asObject(primary.get(AGGREGATIONS));
    Map<String, Object> other = JsonComparison.asObject(shadow.get(AGGREGATIONS));
    if (one == null || other == null) {
      if (one != null || other != null) {
        differences.add(Kind.AGGREGATIONS, AGGREGATIONS, one, other);
      }
      return;
    }
    Set<String> names = new LinkedHashSet<>(one.keySet());
    names.addAll(other.keySet());
    for (String name : names) {
      Map<String, Object> mine = JsonComparison.asObject(one.get(name));
      Map<String, Object> theirs = JsonComparison.asObject(other.get(name));
      if (mine == null || theirs == null) {
        differences.add(
            Kind.AGGREGATIONS, AGGREGATIONS + "." + name, one.get(name), other.get(name));
      } else {
        compareTables(AGGREGATIONS + "." + name, Kind.AGGREGATIONS, mine, theirs);
      }
    }
  }

  private void compareTables(
      String path, Kind kind, Map<String, Object> primary, Map<String, Object> shadow) {
    KeyedTable one = KeyedTable.parse(kind, primary);
    KeyedTable other = KeyedTable.parse(kind, shadow);
    if (one == null || other == null) {
      if (!JsonComparison.isSame(primary.get(COLUMNS), shadow.get(COLUMNS))
          || !JsonComparison.isSame(primary.get(VALUES), shadow.get(VALUES))) {
        differences.recordIncomparable(Reason.UNSUPPORTED_FORMAT);
      }
      return;
    }
    if (!one.rowKeys().equals(other.rowKeys())) {
      differences.recordIncomparable(Reason.UNSUPPORTED_FORMAT);
    }
    Set<String> names = new LinkedHashSet<>(one.columns().keySet());
    names.addAll(other.columns().keySet());
    names.removeIf(name -> !isComparable(kind, name));
    one.rows()
        .forEach((row, at) -> {
          Integer beside = other.rows().get(row);
          if (beside != null) {
            for (String name : names) {
              compareCells(
                  path + row + "." + name, kind, one.cell(name, at), other.cell(name, beside));
            }
          }
        });
  }

  private static boolean isComparable(Kind kind, String name) {
    return kind == Kind.AGGREGATIONS
        ? AggregationComparator.isComparable(name.substring(name.lastIndexOf('.') + 1))
            && !name.endsWith("_as_string")
        : !METADATA_FIELDS.contains(name);
  }

  private void compareCells(String path, Kind kind, Object primary, Object shadow) {
    if (kind == Kind.AGGREGATIONS) {
      aggregations.compare(path, primary, shadow);
      return;
    }
    JsonComparison.Mismatch place = JsonComparison.findDifference(path, primary, shadow);
    if (place != null) {
      differences.add(kind, place.path(), place.one(), place.other());
    }
  }

  /**
   * A columnar response as a table.
   *
   * @param columns cells in row order, by column name
   * @param rows row numbers by row name
   */
  private record KeyedTable(Map<String, List<Object>> columns, Map<String, Integer> rows) {
    /** Reads a table; null if its rows have no unique names. */
    static @Nullable KeyedTable parse(Kind kind, Map<String, Object> table) {
      List<Object> heads = JsonComparison.asArray(table.get(COLUMNS));
      List<Object> values = JsonComparison.asArray(table.get(VALUES));
      if (heads == null || values == null || heads.size() != values.size()) {
        return null;
      }
      Map<String, List<Object>> columns = new LinkedHashMap<>();
      int rows = -1;
      for (int i = 0; i < heads.size(); i++) {
        Map<String, Object> head = JsonComparison.asObject(heads.get(i));
        List<Object> cells = JsonComparison.asArray(values.get(i));
        if (head == null
            || cells == null
            || !(head.get("name") instanceof String name)
            || columns.put(name, cells) != null
            || (rows >= 0 && rows != cells.size())) {
          return null;
        }
        rows = cells.size();
      }
      List<String> keys = kind == Kind.SOURCE ? List.of("_id") : keys(columns);
      return columns.keySet().containsAll(keys) ? keyByRow(columns, keys, rows) : null;
    }

    /** A row starts with the keys of its buckets, before its count. */
    private static List<String> keys(Map<String, List<Object>> columns) {
      List<String> names = new ArrayList<>(columns.keySet());
      int count = names.indexOf(DOC_COUNT);
      return count < 0 ? List.of() : names.subList(0, count);
    }

    private static @Nullable KeyedTable keyByRow(
        Map<String, List<Object>> columns, List<String> keys, int count) {
      Map<String, Integer> rows = LinkedHashMap.newLinkedHashMap(Math.max(0, count));
      for (int i = 0; i < count; i++) {
        List<Object> name = new ArrayList<>(keys.size());
        for (String key : keys) {
          name.add(columns.getOrDefault(key, List.of()).get(i));
        }
        if (rows.put(name.toString(), i) != null) {
          return null;
        }
      }
      return new KeyedTable(columns, rows);
    }

    List<String> rowKeys() {
      return List.copyOf(rows.keySet());
    }

    /** A missing column is empty. */
    Object cell(String name, int row) {
      List<Object> cells = columns.get(name);
      return cells == null ? JsonComparison.Null.INSTANCE : cells.get(row);
    }
  }
}
