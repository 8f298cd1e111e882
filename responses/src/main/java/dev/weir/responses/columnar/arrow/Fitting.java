package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.Rows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out of all rows which type takes all values of each column: the mapping's, unless a value
 * does not keep to it; then doubles where they are numbers at least, text where they are strings,
 * and else JSON. What a column is to hold is known when all rows went by: where it became another
 * thing behind the first value, they are gone through once more. Used by one thread.
 */
final class Fitting implements RowSink {
  private final Columns columns;
  private final BitSet wanted;
  private final JsonCursor cursor = new JsonCursor();
  private final List<Fit> fits = new ArrayList<>();

  /** How the values of a column fit, so far. */
  private static final class Fit {
    private final Column column;
    private final Scalars scalars;
    private @Nullable ArrowType tested;
    private boolean own = true;
    private boolean doubles = true;
    private boolean stale;

    Fit(Column column) {
      this.column = column;
      this.scalars = new Scalars(new Instants(column));
    }

    void see(byte[] json, int from, int to, int kind) {
      if (kind == Kinds.NULL || stale) {
        return;
      }
      ArrowType now = ArrowType.of(column);
      if (tested != null && tested != now) { // an index more, or a kind of value more
        stale = true;
        return;
      }
      tested = now;
      if (!isText(now)) {
        own = own && scalars.read(now, json, from, to, kind);
      }
      if (now.isInteger()) {
        doubles = doubles && scalars.read(ArrowType.FLOAT64, json, from, to, kind);
      }
    }

    /** Whether its values were not all tested against what the column is now. */
    boolean isStale() {
      return stale || (tested != null && tested != ArrowType.of(column));
    }

    ArrowType chosen() {
      ArrowType said = ArrowType.of(column);
      ArrowType kept = kept(column);
      if (kept != said || own || isText(said)) {
        return kept;
      }
      if (said.isInteger() && doubles) {
        return ArrowType.FLOAT64;
      }
      return values(column) == Kinds.STRING ? ArrowType.TEXT : ArrowType.JSON;
    }
  }

  private Fitting(Columns columns, BitSet wanted) {
    this.columns = columns;
    this.wanted = wanted;
  }

  /**
   * Finds the types of rows, which are read once, or twice.
   *
   * @param wanted the columns whose types are asked for
   */
  static Fitting of(Rows rows, BitSet wanted) throws IOException {
    Fitting first = new Fitting(rows.columns(), wanted);
    rows.each(first);
    if (first.fits.stream().noneMatch(Fit::isStale)) {
      return first;
    }
    Fitting again = new Fitting(rows.columns(), wanted);
    rows.each(again);
    return again;
  }

  /**
   * The type of a column's values, or of its lists' elements, if each that was seen keeps to what
   * the mapping says.
   */
  static ArrowType kept(Column column) {
    int kinds = values(column);
    ArrowType said = ArrowType.of(column);
    if (said == ArrowType.NONE && !Kinds.any(column.kinds(), Kinds.LIST)) {
      return said;
    }
    if (kinds == 0 && !isText(said)) {
      return said; // of empty lists and nulls
    }
    if (said == ArrowType.JSON || said == ArrowType.NONE) {
      return kinds == Kinds.STRING ? ArrowType.TEXT : ArrowType.JSON;
    }
    return Kinds.any(kinds, Kinds.OBJECT | Kinds.DEEP) ? ArrowType.JSON : said;
  }

  /** What is neither null nor a list of what was seen. */
  private static int values(Column column) {
    return column.kinds() & ~(Kinds.NULL | Kinds.LIST);
  }

  private static boolean isText(ArrowType type) {
    return switch (type) {
      case WORD, TEXT, JSON, NONE -> true;
      case INT8, INT16, INT32, INT64, UINT64, FLOAT32, FLOAT64, BOOL, MILLIS, NANOS -> false;
    };
  }

  @Override
  public void row(Row row) {
    for (int i = 0; i < row.count(); i++) {
      int index = row.touched(i);
      if (!wanted.get(index)) {
        continue;
      }
      Fit fit = fit(index);
      int kinds = row.kinds(index);
      if (!Kinds.any(kinds, Kinds.LIST)) {
        fit.see(row.data(index), row.from(index), row.to(index), kinds);
      } else if (!Kinds.any(kinds, Kinds.DEEP | Kinds.OBJECT)) {
        cursor.over(row.data(index), row.from(index), row.to(index));
        cursor.take('[');
        while (cursor.peek() != ']') {
          int kind = cursor.skip();
          fit.see(cursor.bytes(), cursor.from(), cursor.to(), kind);
          cursor.takeComma();
        }
      }
    }
  }

  private Fit fit(int index) {
    while (fits.size() <= index) {
      fits.add(new Fit(columns.all().get(fits.size())));
    }
    return fits.get(index);
  }

  /** The type of a column's values, or of its lists' elements. */
  ArrowType type(Column column) {
    return fit(column.index()).chosen();
  }
}
