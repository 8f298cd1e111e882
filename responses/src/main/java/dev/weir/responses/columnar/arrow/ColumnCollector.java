package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.NumberKind;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import org.jspecify.annotations.Nullable;

/**
 * Collects one column's values in a vector of the type that the mapping and the first value
 * suggest. Only after the last row is it known whether all values fit. Used by one thread.
 */
final class ColumnCollector {
  private final Column column;
  private final OutputFactory outputs;
  private final ArrowType type;
  private final MemberBudget budget;

  /** Set once all values were seen; null before. */
  private final @Nullable ValueLayout knownLayout;

  private boolean isList;
  private WordDictionary dictionary = new WordDictionary();
  private ColumnVector vector;
  private boolean hasMisfit;

  /** The members of the column's objects; null if no value is an object. */
  private @Nullable ObjectShape shape;

  /** A list followed plain values: from here on the collector only checks whether values fit. */
  private boolean hasLateList;

  /**
   * Starts a column whose values are not known yet.
   *
   * @param budget bounds the members of objects of all columns
   */
  ColumnCollector(Column column, ArrowType type, OutputFactory outputs, MemberBudget budget) {
    this.budget = budget;
    this.column = column;
    this.outputs = outputs;
    this.type = type;
    this.knownLayout = null;
    this.isList = hasLists(column, type);
    this.vector = vector();
  }

  /** Starts a column again whose values all fit a layout. */
  ColumnCollector(Column column, ValueLayout layout, OutputFactory outputs, MemberBudget budget) {
    this.budget = budget;
    this.column = column;
    this.outputs = outputs;
    this.type = layout.type();
    this.knownLayout = layout;
    this.isList = layout.isList();
    this.vector = vector();
  }

  private ColumnVector vector() {
    return VectorFactory.create(layout(), column, outputs, dictionary);
  }

  /** Returns true if a list has appeared among the column's values. */
  static boolean hasLists(Column column, ArrowType type) {
    return switch (type) {
      case JSON, POINT -> false; // lists may be points: each value says whether it is a list
      default -> ValueKinds.hasAny(column.kinds(), ValueKinds.LIST);
    };
  }

  /** Returns the layout, as far as it is known. */
  ValueLayout layout() {
    return knownLayout == null ? ValueLayout.of(type, isList) : knownLayout;
  }

  /** Returns the layout of the column's objects so far: with their members, or JSON. */
  ValueLayout objectLayout() {
    return shape()
        .layout(
            ValueKinds.hasAny(column.kinds(), ValueKinds.LIST)
                || column.type().equals(ColumnTypes.NESTED));
  }

  private ObjectShape shape() {
    ObjectShape known = shape;
    if (known == null) {
      known = new ObjectShape(column, budget);
      shape = known;
    }
    return known;
  }

  Column column() {
    return column;
  }

  ArrowType type() {
    return type;
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
    int index = column.index();
    if (knownLayout == null
        && ValueKinds.hasAny(row.kinds(index), ValueKinds.OBJECT)
        && ArrowType.fromColumn(column) == ArrowType.STRUCT) {
      shape().see(row.bytes(index), row.start(index), row.end(index), row.kinds(index));
    }
    if (hasMisfit || (type == ArrowType.STRUCT && knownLayout == null)) {
      return; // objects are written once all of their members are known
    }
    NumberKind number = row.numberKind(index);
    int kinds = vector.kindsOf(row.kinds(index));
    if (knownLayout == null
        && !isList
        && type != ArrowType.JSON
        && ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
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
    if (number != null && vector.addNumber(number, row.number(index))) {
      return;
    }
    if (knownLayout == null) {
      hasMisfit = !vector.addIfFits(row.bytes(index), row.start(index), row.end(index), kinds);
    } else {
      vector.add(row.bytes(index), row.start(index), row.end(index), kinds);
    }
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
    return isFitting() && !hasLateList && type != ArrowType.STRUCT;
  }

  void appendTo(RecordBatchBody batch) {
    vector.appendTo(batch);
  }
}
