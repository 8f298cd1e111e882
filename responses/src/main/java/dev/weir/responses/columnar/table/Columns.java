package dev.weir.responses.columnar.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The columns of rows by name, in order of appearance. Used by one thread. */
public final class Columns {
  /** Bounds the memory that columns take in addition to the accounted response. */
  static final int MAX_COLUMNS = 10_000;

  private final List<Column> ordered = new ArrayList<>();
  private final Map<String, Column> byName = new HashMap<>();
  private final Predicate<String> isReformatted;
  private final Set<String> parents = new HashSet<>();
  private boolean isClosed;

  public Columns() {
    this(name -> false);
  }

  /**
   * Starts without columns.
   *
   * @param reformatted returns true for the names of columns with values in a format that the
   *     search sets
   */
  public Columns(Predicate<String> reformatted) {
    this.isReformatted = reformatted;
  }

  /**
   * Returns the column of a name; creates it if necessary.
   *
   * @throws IllegalArgumentException if there are too many columns
   */
  public Column getOrCreate(String name) {
    Column column = byName.get(name);
    if (column == null) {
      if (ordered.size() == MAX_COLUMNS) {
        throw new IllegalArgumentException(
            "got more than "
                + MAX_COLUMNS
                + " columns (expected: fewer; name those you want in _source or fields)");
      }
      column = new Column(name, ordered.size(), isReformatted.test(name));
      ordered.add(column);
      byName.put(name, column);
    }
    return column;
  }

  /** Adds a column that is found only by its index, never by its name. */
  public Column addUnnamed(String name) {
    Column column = new Column(name, ordered.size(), false);
    ordered.add(column);
    return column;
  }

  /** Allows no further columns from now on. */
  public void close() {
    isClosed = true;
    for (Column column : ordered) {
      String name = column.name();
      for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        parents.add(name.substring(0, dot));
      }
    }
  }

  public boolean isClosed() {
    return isClosed;
  }

  /** Returns true if no column can receive a value of this path or below it. */
  public boolean isOutside(String path) {
    return isClosed && !byName.containsKey(path) && !parents.contains(path);
  }

  /** Returns the column of a name, or a new one while columns may be added; otherwise null. */
  public @Nullable Column findOrCreate(String name) {
    return isClosed ? byName.get(name) : getOrCreate(name);
  }

  public @Nullable Column get(String name) {
    return byName.get(name);
  }

  /** Returns all columns so far, as a live list. */
  public List<Column> all() {
    return ordered;
  }

  public int size() {
    return ordered.size();
  }
}
