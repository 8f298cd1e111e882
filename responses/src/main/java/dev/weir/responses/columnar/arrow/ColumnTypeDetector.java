package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import dev.weir.responses.columnar.table.ValueKinds;
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
final class ColumnTypeDetector implements RowSink {
  private final Columns columns;
  private final BitSet requestedColumns;
  private final JsonCursor cursor = new JsonCursor();
  private final List<ColumnFit> fits = new ArrayList<>();

  /** How the values of a column fit, so far. */
  private static final class ColumnFit {
    private final Column column;
    private final ScalarReader scalars;
    private @Nullable ArrowType testedType;
    private boolean keepsDeclaredType = true;
    private boolean fitsDouble = true;
    private boolean isStale;

    ColumnFit(Column column) {
      this.column = column;
      this.scalars = new ScalarReader(new FormattedDateReader(column));
    }

    void test(byte[] json, int from, int to, int kind) {
      if (kind == ValueKinds.NULL || isStale) {
        return;
      }
      ArrowType now = ArrowType.fromColumn(column);
      if (testedType != null && testedType != now) { // an index more, or a kind of value more
        isStale = true;
        return;
      }
      testedType = now;
      if (!isText(now)) {
        keepsDeclaredType = keepsDeclaredType && scalars.read(now, json, from, to, kind);
      }
      if (now.isInteger()) {
        fitsDouble = fitsDouble && scalars.read(ArrowType.FLOAT64, json, from, to, kind);
      }
    }

    /** Whether its values were not all tested against what the column is now. */
    boolean isStale() {
      return isStale || (testedType != null && testedType != ArrowType.fromColumn(column));
    }

    ArrowType chosenType() {
      ArrowType said = ArrowType.fromColumn(column);
      ArrowType kept = declaredTypeIfKept(column);
      if (kept != said || keepsDeclaredType || isText(said)) {
        return kept;
      }
      if (said.isInteger() && fitsDouble) {
        return ArrowType.FLOAT64;
      }
      return valueKinds(column) == ValueKinds.STRING ? ArrowType.TEXT : ArrowType.JSON;
    }
  }

  private ColumnTypeDetector(Columns columns, BitSet wanted) {
    this.columns = columns;
    this.requestedColumns = wanted;
  }

  /**
   * Finds the types of rows, which are read once, or twice.
   *
   * @param wanted the columns whose types are asked for
   */
  static ColumnTypeDetector detect(RowSource rows, BitSet wanted) throws IOException {
    ColumnTypeDetector first = new ColumnTypeDetector(rows.columns(), wanted);
    rows.forEachRow(first);
    if (first.fits.stream().noneMatch(ColumnFit::isStale)) {
      return first;
    }
    ColumnTypeDetector again = new ColumnTypeDetector(rows.columns(), wanted);
    rows.forEachRow(again);
    return again;
  }

  /**
   * The type of a column's values, or of its lists' elements, if each that was seen keeps to what
   * the mapping says.
   */
  static ArrowType declaredTypeIfKept(Column column) {
    int kinds = valueKinds(column);
    ArrowType said = ArrowType.fromColumn(column);
    if (said == ArrowType.NULL && !ValueKinds.hasAny(column.kinds(), ValueKinds.LIST)) {
      return said;
    }
    if (kinds == 0 && !isText(said)) {
      return said; // of empty lists and nulls
    }
    if (said == ArrowType.JSON || said == ArrowType.NULL) {
      return kinds == ValueKinds.STRING ? ArrowType.TEXT : ArrowType.JSON;
    }
    return ValueKinds.hasAny(kinds, ValueKinds.OBJECT | ValueKinds.NESTED_LIST)
        ? ArrowType.JSON
        : said;
  }

  /** What is neither null nor a list of what was seen. */
  private static int valueKinds(Column column) {
    return column.kinds() & ~(ValueKinds.NULL | ValueKinds.LIST);
  }

  private static boolean isText(ArrowType type) {
    return switch (type) {
      case DICTIONARY_TEXT, TEXT, JSON, NULL -> true;
      case INT8, INT16, INT32, INT64, UINT64, FLOAT32, FLOAT64, BOOL, MILLIS, NANOS -> false;
    };
  }

  @Override
  public void accept(Row row) {
    for (int i = 0; i < row.count(); i++) {
      int index = row.presentColumn(i);
      if (!requestedColumns.get(index)) {
        continue;
      }
      ColumnFit fit = fitOf(index);
      int kinds = row.kinds(index);
      if (!ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
        fit.test(row.bytes(index), row.start(index), row.end(index), kinds);
      } else if (!ValueKinds.hasAny(kinds, ValueKinds.NESTED_LIST | ValueKinds.OBJECT)) {
        cursor.reset(row.bytes(index), row.start(index), row.end(index));
        cursor.expect('[');
        while (cursor.peek() != ']') {
          int kind = cursor.skip();
          fit.test(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd(), kind);
          cursor.takeComma();
        }
      }
    }
  }

  private ColumnFit fitOf(int index) {
    while (fits.size() <= index) {
      fits.add(new ColumnFit(columns.all().get(fits.size())));
    }
    return fits.get(index);
  }

  /** The type of a column's values, or of its lists' elements. */
  ArrowType typeOf(Column column) {
    return fitOf(column.index()).chosenType();
  }
}
