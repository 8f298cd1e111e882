package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.NumberKind;
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
 * Finds, over all rows, the type that fits all values of each column. This is the mapping's type
 * unless a value violates it; then double for numbers, text for strings, and JSON otherwise. A
 * column's candidate type is final only after the last row: if it changed after the first value,
 * the rows are read a second time. Used by one thread.
 */
final class ColumnTypeDetector implements RowSink {
  private final Columns columns;
  private final BitSet requestedColumns;
  private final JsonCursor cursor = new JsonCursor();
  private final List<ColumnFit> fits = new ArrayList<>();

  /** The fit of one column's values so far. */
  private static final class ColumnFit {
    private final Column column;
    private final ScalarReader scalars;
    private final GeoPointReader points = new GeoPointReader();
    private boolean hasList;
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
      if (testedType != null && testedType != now) { // another index or another kind of value
        isStale = true;
        return;
      }
      testedType = now;
      if (now == ArrowType.POINT) {
        keepsDeclaredType = keepsDeclaredType && points.read(json, from, to, kind);
      } else if (!isText(now)) {
        keepsDeclaredType = keepsDeclaredType && scalars.read(now, json, from, to, kind);
      }
      if (isWithinDouble(now)) {
        fitsDouble = fitsDouble && scalars.read(ArrowType.FLOAT64, json, from, to, kind);
      }
    }

    /** Returns true if not all values were tested against the column's current type. */
    boolean isStale() {
      return isStale || (testedType != null && testedType != ArrowType.fromColumn(column));
    }

    ValueLayout chosenLayout() {
      ArrowType type = chosenType();
      return ValueLayout.of(
          type, type == ArrowType.POINT ? hasList : ColumnCollector.hasLists(column, type));
    }

    private ArrowType chosenType() {
      ArrowType declared = ArrowType.fromColumn(column);
      ArrowType kept = declaredTypeIfKept(column);
      if (kept != declared || keepsDeclaredType || isText(declared)) {
        return kept;
      }
      if (isWithinDouble(declared) && fitsDouble) {
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
   * Detects the types of columns; it reads the rows once or twice.
   *
   * @param wanted the columns to detect
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
   * Returns the type of a column's values, or of its lists' elements, provided that all values so
   * far fit the mapping.
   */
  static ArrowType declaredTypeIfKept(Column column) {
    int kinds = valueKinds(column);
    ArrowType declared = ArrowType.fromColumn(column);
    if (declared == ArrowType.POINT) {
      return declared;
    }
    if (declared == ArrowType.STRUCT && ValueKinds.hasOnly(kinds, ValueKinds.OBJECT)) {
      return declared;
    }
    if (declared == ArrowType.NULL && !ValueKinds.hasAny(column.kinds(), ValueKinds.LIST)) {
      return declared;
    }
    if (kinds == 0 && !isText(declared)) {
      return declared; // only empty lists and nulls
    }
    if (declared == ArrowType.STRUCT || declared == ArrowType.JSON || declared == ArrowType.NULL) {
      return kinds == ValueKinds.STRING ? ArrowType.TEXT : ArrowType.JSON;
    }
    return ValueKinds.hasAny(kinds, ValueKinds.OBJECT | ValueKinds.NESTED_LIST)
        ? ArrowType.JSON
        : declared;
  }

  /** Returns the kinds of values that were seen, without nulls and lists. */
  private static int valueKinds(Column column) {
    return column.kinds() & ~(ValueKinds.NULL | ValueKinds.LIST);
  }

  /** Returns true for numbers that may fit into a double where they don't fit their own type. */
  private static boolean isWithinDouble(ArrowType type) {
    return type.isInteger() || type == ArrowType.FLOAT32;
  }

  private static boolean isFloat(ArrowType type) {
    return type == ArrowType.FLOAT32 || type == ArrowType.FLOAT64;
  }

  private static boolean isText(ArrowType type) {
    return switch (type) {
      case DICTIONARY_TEXT, TEXT, STRUCT, JSON, NULL -> true;
      case INT8, INT16, INT32, INT64, UINT64, FLOAT32, FLOAT64, BOOL, MILLIS, NANOS, POINT -> false;
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
      ArrowType type = ArrowType.fromColumn(columns.all().get(index));
      if (isFloat(type) && row.numberKind(index) == NumberKind.NON_FINITE) {
        continue; // it fits, though its JSON is text
      }
      boolean isPoint = type == ArrowType.POINT;
      int kinds = isPoint ? GeoPointReader.kindsOf(row.kinds(index)) : row.kinds(index);
      fit.hasList = fit.hasList || ValueKinds.hasAny(kinds, ValueKinds.LIST);
      if (!ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
        fit.test(row.bytes(index), row.start(index), row.end(index), kinds);
      } else if (isPoint || !ValueKinds.hasAny(kinds, ValueKinds.NESTED_LIST | ValueKinds.OBJECT)) {
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

  /** Returns the layout of a column's values. */
  ValueLayout layoutOf(Column column) {
    return fitOf(column.index()).chosenLayout();
  }
}
