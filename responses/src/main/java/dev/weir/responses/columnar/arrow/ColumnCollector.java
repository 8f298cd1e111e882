package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;

/**
 * A column and what it comes to while rows go by: a vector of the type that its mapping and its
 * first value say. Whether that was right is known behind the last row. Used by one thread.
 */
final class ColumnCollector {
  private final Column column;
  private final OutputFactory outputs;
  private final ArrowType type;
  private boolean isList;
  private WordDictionary dictionary = new WordDictionary();
  private ColumnVector vector;
  private boolean hasMisfit;

  /** A list came behind values that are none: it only looks on whether the rest fits. */
  private boolean hasLateList;

  ColumnCollector(Column column, ArrowType type, OutputFactory outputs) {
    this.column = column;
    this.outputs = outputs;
    this.type = type;
    this.isList = shouldUseList();
    this.vector = vector();
  }

  private ColumnVector vector() {
    ScalarReader scalars = new ScalarReader(new FormattedDateReader(column));
    ColumnVector values = ColumnVector.create(type, scalars, outputs, dictionary);
    return isList ? new ListVector(values, outputs) : values;
  }

  /** Whether its values are lists, as far as they were seen. */
  private boolean shouldUseList() {
    return type != ArrowType.JSON && ValueKinds.hasAny(column.kinds(), ValueKinds.LIST);
  }

  Column column() {
    return column;
  }

  ArrowType type() {
    return type;
  }

  boolean isList() {
    return isList;
  }

  WordDictionary dictionary() {
    return dictionary;
  }

  /** Takes the value that a row has, behind so many rows. */
  void add(Row row, int before) {
    if (hasMisfit) {
      return;
    }
    int index = column.index();
    int kinds = row.kinds(index);
    if (!isList && type != ArrowType.JSON && ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
      hasLateList = true;
      isList = true;
      dictionary = new WordDictionary();
      vector = vector();
    }
    if (hasLateList) {
      hasMisfit = !vector.canFitAll(row.bytes(index), row.start(index), row.end(index), kinds);
      return;
    }
    addNulls(before);
    hasMisfit = !vector.addIfFits(row.bytes(index), row.start(index), row.end(index), kinds);
  }

  /** Says of rows that went by that they have no value. */
  void addNulls(int rows) {
    while (vector.length() < rows) {
      vector.addNull();
    }
  }

  /** Whether its type takes all values, which went by. */
  boolean isFitting() {
    return !hasMisfit && type == ColumnTypeDetector.declaredTypeIfKept(column);
  }

  /** Whether it has all values. */
  boolean isComplete() {
    return isFitting() && !hasLateList;
  }

  void appendTo(RecordBatchBody batch) {
    vector.appendTo(batch);
  }
}
