package dev.weir.bluegreen.shadow;

import dev.weir.bluegreen.shadow.Verdict.Kind;
import dev.weir.bluegreen.shadow.Verdict.Reason;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compares answers by columns: the rows that both have, found by what names them. Columns do not
 * say which rows are equal in what they are sorted by, so that of rows in another order, or other
 * ones, nothing can be said.
 */
final class ColumnsComparison {
  private static final String COLUMNS = "columns";
  private static final String VALUES = "values";
  private static final String AGGREGATIONS = "aggregations";
  private static final String DOC_COUNT = "doc_count";

  /** What of a hit is not the document's own. */
  private static final Set<String> NOT_CONTENT =
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

  private final Findings findings;
  private final AggregationComparison aggregations;

  ColumnsComparison(Findings findings, AggregationComparison aggregations) {
    this.findings = findings;
    this.aggregations = aggregations;
  }

  /** Whether a search's answer has columns. */
  static boolean in(Map<String, Object> answer) {
    if (answer.containsKey(COLUMNS) || answer.containsKey(VALUES)) {
      return true;
    }
    Map<String, Object> named = Json.object(answer.get(AGGREGATIONS));
    Map<String, Object> hits = Json.object(answer.get("hits"));
    return named != null
        && !named.isEmpty()
        && (hits == null || !hits.containsKey("hits"))
        && named.values().stream().allMatch(ColumnsComparison::isTable);
  }

  private static boolean isTable(Object value) {
    Map<String, Object> object = Json.object(value);
    return object != null
        && Json.array(object.get(COLUMNS)) != null
        && Json.array(object.get(VALUES)) != null;
  }

  /** Compares two answers of which one has columns at the least. */
  void compare(Map<String, Object> primary, Map<String, Object> shadow) {
    if (primary.containsKey(VALUES) || shadow.containsKey(VALUES)) {
      tables(VALUES, Kind.SOURCE, primary, shadow);
    }
    Map<String, Object> one = Json.object(primary.get(AGGREGATIONS));
    Map<String, Object> other = Json.object(shadow.get(AGGREGATIONS));
    if (one == null || other == null) {
      if (one != null || other != null) {
        findings.differs(Kind.AGGREGATIONS, AGGREGATIONS, one, other);
      }
      return;
    }
    Set<String> names = new LinkedHashSet<>(one.keySet());
    names.addAll(other.keySet());
    for (String name : names) {
      Map<String, Object> mine = Json.object(one.get(name));
      Map<String, Object> theirs = Json.object(other.get(name));
      if (mine == null || theirs == null) {
        findings.differs(
            Kind.AGGREGATIONS, AGGREGATIONS + "." + name, one.get(name), other.get(name));
      } else {
        tables(AGGREGATIONS + "." + name, Kind.AGGREGATIONS, mine, theirs);
      }
    }
  }

  private void tables(
      String path, Kind kind, Map<String, Object> primary, Map<String, Object> shadow) {
    Table one = Table.of(kind, primary);
    Table other = Table.of(kind, shadow);
    if (one == null || other == null) {
      if (!Json.same(primary.get(COLUMNS), shadow.get(COLUMNS))
          || !Json.same(primary.get(VALUES), shadow.get(VALUES))) {
        findings.unfit(Reason.FORMAT);
      }
      return;
    }
    if (!one.order().equals(other.order())) {
      findings.unfit(Reason.FORMAT);
    }
    Set<String> names = new LinkedHashSet<>(one.columns().keySet());
    names.addAll(other.columns().keySet());
    names.removeIf(name -> !told(kind, name));
    one.rows()
        .forEach((row, at) -> {
          Integer beside = other.rows().get(row);
          if (beside != null) {
            for (String name : names) {
              cells(path + row + "." + name, kind, one.cell(name, at), other.cell(name, beside));
            }
          }
        });
  }

  private static boolean told(Kind kind, String name) {
    return kind == Kind.AGGREGATIONS
        ? AggregationComparison.told(name.substring(name.lastIndexOf('.') + 1))
            && !name.endsWith("_as_string")
        : !NOT_CONTENT.contains(name);
  }

  private void cells(String path, Kind kind, Object primary, Object shadow) {
    if (kind == Kind.AGGREGATIONS) {
      aggregations.compare(path, primary, shadow);
      return;
    }
    Json.Place place = Json.difference(path, primary, shadow);
    if (place != null) {
      findings.differs(kind, place.path(), place.one(), place.other());
    }
  }

  /**
   * A table.
   *
   * @param columns cells from the first row on, by the column's name
   * @param rows which row it is, by what names it
   */
  private record Table(Map<String, List<Object>> columns, Map<String, Integer> rows) {
    /** Reads one; null where it is none whose rows have names, each its own. */
    static @Nullable Table of(Kind kind, Map<String, Object> table) {
      List<Object> heads = Json.array(table.get(COLUMNS));
      List<Object> values = Json.array(table.get(VALUES));
      if (heads == null || values == null || heads.size() != values.size()) {
        return null;
      }
      Map<String, List<Object>> columns = new LinkedHashMap<>();
      int rows = -1;
      for (int i = 0; i < heads.size(); i++) {
        Map<String, Object> head = Json.object(heads.get(i));
        List<Object> cells = Json.array(values.get(i));
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
      return columns.keySet().containsAll(keys) ? named(columns, keys, rows) : null;
    }

    /** The keys of the buckets that a row is in stand before its count. */
    private static List<String> keys(Map<String, List<Object>> columns) {
      List<String> names = new ArrayList<>(columns.keySet());
      int count = names.indexOf(DOC_COUNT);
      return count < 0 ? List.of() : names.subList(0, count);
    }

    private static @Nullable Table named(
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
      return new Table(columns, rows);
    }

    List<String> order() {
      return List.copyOf(rows.keySet());
    }

    /** A column that is missing has nothing in it. */
    Object cell(String name, int row) {
      List<Object> cells = columns.get(name);
      return cells == null ? Json.Null.NULL : cells.get(row);
    }
  }
}
