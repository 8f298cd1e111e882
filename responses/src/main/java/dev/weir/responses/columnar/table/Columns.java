package dev.weir.responses.columnar.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Columns by name, in the order in which they came up. Used by one thread. */
public final class Columns {
  /** More would take more memory beside the answer than is paid for. */
  static final int MAX_COLUMNS = 10_000;

  private final List<Column> ordered = new ArrayList<>();
  private final Map<String, Column> byName = new HashMap<>();
  private final Predicate<String> isReformatted;
  private final Set<String> parents = new HashSet<>();
  private boolean isClosed;

  /** None so far. */
  public Columns() {
    this(name -> false);
  }

  /**
   * None so far.
   *
   * @param reformatted whether the values of a column of a name come in a format that no mapping
   *     says
   */
  public Columns(Predicate<String> reformatted) {
    this.isReformatted = reformatted;
  }

  /**
   * The column of a name, which is new where there was none.
   *
   * @throws IllegalArgumentException when there are too many
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

  /** Adds a column that is found by its place alone: no value of a row is its by its name. */
  public Column addUnnamed(String name) {
    Column column = new Column(name, ordered.size(), false);
    ordered.add(column);
    return column;
  }

  /** From now on there come no more. */
  public void close() {
    isClosed = true;
    for (Column column : ordered) {
      String name = column.name();
      for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        parents.add(name.substring(0, dot));
      }
    }
  }

  /** Whether no more come. */
  public boolean isClosed() {
    return isClosed;
  }

  /** Whether something of this path can't get into columns: it is none, and none lies below it. */
  public boolean isOutside(String path) {
    return isClosed && !byName.containsKey(path) && !parents.contains(path);
  }

  /** The column of a name, which is new where it may be; null where there is none. */
  public @Nullable Column findOrCreate(String name) {
    return isClosed ? byName.get(name) : getOrCreate(name);
  }

  /** The column of a name, if there is one. */
  public @Nullable Column get(String name) {
    return byName.get(name);
  }

  /** All so far; grows with them. */
  public List<Column> all() {
    return ordered;
  }

  public int size() {
    return ordered.size();
  }
}
