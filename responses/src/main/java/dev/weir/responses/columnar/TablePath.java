package dev.weir.responses.columnar;

import org.jspecify.annotations.Nullable;

/**
 * Where a table of buckets lies: in those of others, or in none.
 *
 * @param outer the table it lies in; null for none
 * @param column what the column of its keys is called
 * @param path names the table
 */
record TablePath(@Nullable TablePath outer, String column, String path) {
  /** The table of what is in no bucket. */
  static final String ROOT = "_root";

  /** What the column of a bucket's documents is called. */
  static final String COUNT_COLUMN = "doc_count";

  /** The table of an aggregation that lies in another, or in none. */
  static TablePath create(@Nullable TablePath outer, String name) {
    String path = outer == null ? name : outer.path + ">" + name;
    return new TablePath(outer, uniqueName(outer, name), path);
  }

  /** A name that none of the columns before has. */
  static String uniqueName(@Nullable TablePath outer, String name) {
    boolean taken = name.equals(COUNT_COLUMN);
    for (TablePath place = outer; place != null; place = place.outer) {
      taken |= place.column.equals(name);
    }
    return taken ? (outer == null ? ROOT : outer.path) + ">" + name : name;
  }
}
