package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.JsonKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A path in the documents of one index: the column of its value, and the paths below it. Documents
 * of an index tend to have the same members in the same order; the lookup therefore first compares
 * a member with the one that followed last time.
 */
final class SourceNode {
  private final String path;
  private final MappedFields mapped;
  private final Columns columns;
  private final boolean isIgnored;
  private final boolean isSingleValue;
  private final Map<String, SourceNode> byKey = new HashMap<>(0);
  private @Nullable JsonKey lastKey;
  private @Nullable SourceNode firstChild;
  private @Nullable SourceNode nextSibling;
  private @Nullable Column column;

  /** Creates the root of an index's documents. */
  SourceNode(MappedFields mapped, Columns columns) {
    this("", mapped, columns);
  }

  private SourceNode(String path, MappedFields mapped, Columns columns) {
    this.path = path;
    this.mapped = mapped;
    this.columns = columns;
    this.isIgnored = !path.isEmpty() && columns.isOutside(path);
    this.isSingleValue = isIgnored || mapped.isSingleValue(path);
  }

  /** Returns the dotted path from the root. */
  String path() {
    return path;
  }

  /** Returns true if an object at this path is one value instead of several fields. */
  boolean isSingleValue() {
    return isSingleValue;
  }

  /** Returns the column of this path's values; null if there is none and none may be added. */
  @Nullable Column column() {
    Column known = column;
    if (known == null) {
      known = columns.findOrCreate(path);
      column = known;
      if (known != null && !columns.isClosed()) {
        declareColumn(known, path, mapped);
      }
    }
    return known;
  }

  /** Sets a column's type from an index's mapping, if the mapping has the path. */
  static void declareColumn(Column column, String path, MappedFields mapped) {
    MappedFields.MappedField field = mapped.find(path);
    if (field != null) {
      column.declare(field.type(), field.dateFormat());
    } else if (mapped.hasSubfields(path)) {
      column.declare(ColumnTypes.OBJECT, "");
    }
    if (mapped.hasMembers(path)) {
      column.declareMembers(objects -> mapped.declareMembers(path, objects));
    }
  }

  /**
   * Returns the node below for the cursor's next key, and moves the cursor past that key.
   *
   * @param before the node of the previous member; null for none
   */
  SourceNode nextChild(JsonCursor cursor, @Nullable SourceNode before) {
    SourceNode guess = before == null ? firstChild : before.nextSibling;
    return guess != null && guess.isNext(cursor) ? guess : findChild(cursor, before, guess);
  }

  private boolean isNext(JsonCursor cursor) {
    JsonKey known = lastKey;
    return known != null && cursor.expect(known);
  }

  private SourceNode findChild(
      JsonCursor cursor, @Nullable SourceNode before, @Nullable SourceNode guess) {
    cursor.readKey();
    if (guess != null && guess.isAt(cursor)) {
      return guess; // blanks follow the key
    }
    JsonBuffer text = new JsonBuffer(cursor.tokenEnd() - cursor.tokenStart());
    text.writeUnquoted(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
    String name = text.toString();
    SourceNode found = byKey.get(name);
    if (found == null) {
      found = new SourceNode(path.isEmpty() ? name : path + "." + name, mapped, columns);
      if (found.isIgnored) {
        return found; // unbounded in number: do not keep them
      }
      byKey.put(name, found);
    }
    found.lastKey = JsonKey.from(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
    if (before == null) {
      firstChild = found;
    } else {
      before.nextSibling = found;
    }
    return found;
  }

  private boolean isAt(JsonCursor cursor) {
    return lastKey != null
        && lastKey.matchesExactly(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
  }
}
