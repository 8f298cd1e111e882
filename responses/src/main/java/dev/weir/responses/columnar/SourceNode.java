package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBuffer;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.JsonKey;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A place in the documents of one index: which column its value goes to, and what lies below it.
 * Documents of an index tend to have the same members in the same order, so a member is compared
 * with the one that followed last time before it is looked for.
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

  /** The root of an index's documents. */
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

  /** The path from the root, with dots. */
  String path() {
    return path;
  }

  /** Whether an object here is one value, not many fields. */
  boolean isSingleValue() {
    return isSingleValue;
  }

  /** The column of the values here; null where there is none and none may come. */
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

  /** Says what an index's mapping says of a column of this path, if anything. */
  static void declareColumn(Column column, String path, MappedFields mapped) {
    MappedFields.MappedField field = mapped.find(path);
    if (field != null) {
      column.declare(field.type(), field.dateFormat());
    } else if (mapped.hasSubfields(path)) {
      column.declare("object", "");
    }
  }

  /**
   * What lies below under the key that is next, which the cursor goes over.
   *
   * @param before what the member before led to; null for none
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
      return guess; // with blanks behind it
    }
    JsonBuffer text = new JsonBuffer(cursor.tokenEnd() - cursor.tokenStart());
    text.writeUnquoted(cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
    String name = text.toString();
    SourceNode found = byKey.get(name);
    if (found == null) {
      found = new SourceNode(path.isEmpty() ? name : path + "." + name, mapped, columns);
      if (found.isIgnored) {
        return found; // there may be any number of them: they are not kept
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
