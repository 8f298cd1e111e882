package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.opensearch.common.regex.Regex;

/**
 * Rejects names of list columns that no column has. A pattern may match none: a mapping may have
 * such fields later.
 */
final class ListColumnValidator {
  /** An error names so many columns at most. */
  private static final int MAX_NAMES = 50;

  private ListColumnValidator() {}

  /**
   * Checks the names.
   *
   * @param lists names or patterns of columns, or of members of nested objects
   * @param columns all columns of the response; nothing is checked if no field has one
   * @throws IllegalArgumentException if a name is unknown; the message has those that are not
   */
  static void validate(List<String> lists, Columns columns) {
    Set<String> known = new LinkedHashSet<>();
    addNames(columns.all(), known);
    if (known.isEmpty()) {
      return; // no index, or no mapping
    }
    for (String name : lists) {
      if (!Regex.isSimpleMatchPattern(name) && !known.contains(name)) {
        throw new IllegalArgumentException(
            "got ["
                + name
                + "] for [lists] (expected: a column of lists, or a pattern of such names: "
                + describe(known)
                + ")");
      }
    }
  }

  /** Adds the names of fields, which are all but those of every hit. */
  private static void addNames(Collection<Column> columns, Set<String> names) {
    for (Column column : columns) {
      if (!column.name().startsWith("_")) {
        names.add(column.name());
        addNames(column.members().values(), names);
      }
    }
  }

  private static String describe(Set<String> names) {
    String shown = String.join(", ", names.stream().limit(MAX_NAMES).toList());
    return names.size() <= MAX_NAMES
        ? shown
        : shown + " and " + (names.size() - MAX_NAMES) + " others";
  }
}
