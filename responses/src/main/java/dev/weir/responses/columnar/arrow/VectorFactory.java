package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.rest.SearchResponseFormat.OutputFactory;

/** Creates the vectors of columns and of members. */
final class VectorFactory {
  private VectorFactory() {}

  /**
   * Creates a vector of values with a layout.
   *
   * @param column says how dates are written
   * @param words the dictionary of texts, if the layout has one
   */
  static ColumnVector create(
      ValueLayout layout, Column column, OutputFactory outputs, WordDictionary words) {
    ColumnVector values =
        switch (layout.type()) {
          case POINT -> new PointVector(outputs);
          case STRUCT -> new StructVector(layout.members(), outputs);
          default ->
              ColumnVector.create(
                  layout.type(), new ScalarReader(new FormattedDateReader(column)), outputs, words);
        };
    return layout.isList() ? new ListVector(values, outputs) : values;
  }
}
