package dev.weir.responses.columnar;

import org.jspecify.annotations.Nullable;

/**
 * The position of a table of buckets in the nesting of aggregations.
 *
 * @param outer the table around it; null for none
 * @param column the name of the key column
 * @param path the name of the table
 */
record TablePath(@Nullable TablePath outer, String column, String path) {
  /** The name of the table of everything outside of buckets. */
  static final String ROOT = "_root";

  /** The name of the column of document counts. */
  static final String COUNT_COLUMN = "doc_count";

  /** Creates the path of an aggregation inside another one, or at the top. */
  static TablePath create(@Nullable TablePath outer, String name) {
    String path = outer == null ? name : outer.path + ">" + name;
    return new TablePath(outer, uniqueName(outer, name), path);
  }

  /** Makes a column name unique among the outer tables' columns. */
  static String uniqueName(@Nullable TablePath outer, String name) {
    boolean taken = name.equals(COUNT_COLUMN);
    for (TablePath place = outer; place != null; place = place.outer) {
      taken |= place.column.equals(name);
    }
    return taken ? (outer == null ? ROOT : outer.path) + ">" + name : name;
  }
}
