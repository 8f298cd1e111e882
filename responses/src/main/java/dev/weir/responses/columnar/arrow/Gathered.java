package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import dev.weir.rest.AnswerForm.Outputs;

/**
 * A column and what it comes to while rows go by: a vector of the type that its mapping and its
 * first value say. Whether that was right is known behind the last row. Used by one thread.
 */
final class Gathered {
  private final Column column;
  private final Outputs outputs;
  private final ArrowType type;
  private boolean list;
  private Dictionary words = new Dictionary();
  private Vector vector;
  private boolean misfit;

  /** A list came behind values that are none: it only looks on whether the rest fits. */
  private boolean listBehind;

  Gathered(Column column, ArrowType type, Outputs outputs) {
    this.column = column;
    this.outputs = outputs;
    this.type = type;
    this.list = isList();
    this.vector = vector();
  }

  private Vector vector() {
    Scalars scalars = new Scalars(new Instants(column));
    Vector values = Vector.of(type, scalars, outputs, words);
    return list ? new ListVector(values, outputs) : values;
  }

  /** Whether its values are lists, as far as they were seen. */
  private boolean isList() {
    return type != ArrowType.JSON && Kinds.any(column.kinds(), Kinds.LIST);
  }

  Column column() {
    return column;
  }

  ArrowType type() {
    return type;
  }

  boolean list() {
    return list;
  }

  Dictionary words() {
    return words;
  }

  /** Takes the value that a row has, behind so many rows. */
  void take(Row row, int before) {
    if (misfit) {
      return;
    }
    int index = column.index();
    int kinds = row.kinds(index);
    if (!list && type != ArrowType.JSON && Kinds.any(kinds, Kinds.LIST)) {
      listBehind = true;
      list = true;
      words = new Dictionary();
      vector = vector();
    }
    if (listBehind) {
      misfit = !vector.allFit(row.data(index), row.from(index), row.to(index), kinds);
      return;
    }
    fill(before);
    misfit = !vector.offer(row.data(index), row.from(index), row.to(index), kinds);
  }

  /** Says of rows that went by that they have no value. */
  void fill(int rows) {
    while (vector.length() < rows) {
      vector.addNull();
    }
  }

  /** Whether its type takes all values, which went by. */
  boolean fits() {
    return !misfit && type == Fitting.kept(column);
  }

  /** Whether it has all values. */
  boolean isWhole() {
    return fits() && !listBehind;
  }

  void addTo(Body batch) {
    vector.addTo(batch);
  }
}
