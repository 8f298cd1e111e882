package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;

/**
 * Collects one column's values in a vector of the type that the mapping and the first value
 * suggest. Only after the last row is it known whether all values fit. Used by one thread.
 */
final class ColumnCollector {
  private final Column column;
  private final OutputFactory outputs;
  private final ArrowType type;
  private boolean isList;
  private WordDictionary dictionary = new WordDictionary();
  private ColumnVector vector;
  private boolean hasMisfit;

  /** A list followed plain values: from here on the collector only checks whether values fit. */
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

  /** Returns true if a list has appeared among the column's values. */
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

  /**
   * Adds a row's value.
   *
   * @param before the number of rows before this one
   */
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
    NumberKind number = row.numberKind(index);
    if (number != null && vector.addNumber(number, row.number(index))) {
      return;
    }
    hasMisfit = !vector.addIfFits(row.bytes(index), row.start(index), row.end(index), kinds);
  }

  /** Adds nulls for rows without a value, up to this number of rows. */
  void addNulls(int rows) {
    while (vector.length() < rows) {
      vector.addNull();
    }
  }

  /** Returns true if the type fits all values so far. */
  boolean isFitting() {
    return !hasMisfit && type == ColumnTypeDetector.declaredTypeIfKept(column);
  }

  /** Returns true if the vector contains all values so far. */
  boolean isComplete() {
    return isFitting() && !hasLateList;
  }

  void appendTo(RecordBatchBody batch) {
    vector.appendTo(batch);
  }
}
