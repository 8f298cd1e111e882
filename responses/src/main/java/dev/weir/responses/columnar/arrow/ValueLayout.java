package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import java.util.List;

/**
 * How the values of a column, or of a member of objects, lie in Arrow's vectors.
 *
 * @param type the type of the values, or of the elements of lists
 * @param isList every value is a list
 * @param members what objects have, for {@link ArrowType#STRUCT}
 */
record ValueLayout(ArrowType type, boolean isList, List<MemberLayout> members) {
  /** Objects within objects have members of their own up to this depth, and are JSON below. */
  static final int MAX_DEPTH = 8;

  /** JSON as text. */
  static final ValueLayout JSON = of(ArrowType.JSON, false);

  /**
   * A member of objects.
   *
   * @param key the member's key
   * @param column its type in OpenSearch's terms, and the format of its dates
   */
  record MemberLayout(String key, Column column, ValueLayout layout) {}

  /** Returns the layout of values that are no objects. */
  static ValueLayout of(ArrowType type, boolean isList) {
    return new ValueLayout(type, isList, List.of());
  }
}
