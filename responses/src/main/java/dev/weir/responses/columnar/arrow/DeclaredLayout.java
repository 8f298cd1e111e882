package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Determines layouts from mappings alone, without a look at values. Used by one thread. */
final class DeclaredLayout {
  private final Predicate<Column> lists;
  private final MemberBudget budget = new MemberBudget();

  /**
   * Starts without columns.
   *
   * @param lists selects the columns, and the members of objects, whose values are lists; those of
   *     nested objects always are
   */
  DeclaredLayout(Predicate<Column> lists) {
    this.lists = lists;
  }

  /** Returns the layout of a column's values. */
  ValueLayout layoutOf(Column column) {
    return layoutOf(column, 0);
  }

  private ValueLayout layoutOf(Column column, int depth) {
    ArrowType declared = ArrowType.fromColumn(column);
    return switch (declared) {
      case NULL, JSON -> ValueLayout.JSON;
      case DICTIONARY_TEXT -> ValueLayout.of(ArrowType.TEXT, lists.test(column));
      case STRUCT -> objectsOf(column, depth + 1);
      default -> ValueLayout.of(declared, lists.test(column));
    };
  }

  private ValueLayout objectsOf(Column column, int depth) {
    Map<String, Column> members = column.members();
    if (members.isEmpty() || depth > ValueLayout.MAX_DEPTH) {
      return ValueLayout.JSON;
    }
    List<ValueLayout.MemberLayout> layouts = new ArrayList<>();
    for (Map.Entry<String, Column> member : members.entrySet()) {
      if (!budget.take()) {
        return ValueLayout.JSON;
      }
      layouts.add(
          new ValueLayout.MemberLayout(
              member.getKey(), member.getValue(), layoutOf(member.getValue(), depth)));
    }
    boolean isList = column.type().equals(ColumnTypes.NESTED) || lists.test(column);
    return new ValueLayout(ArrowType.STRUCT, isList, layouts);
  }
}
