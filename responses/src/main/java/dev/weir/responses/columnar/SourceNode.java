package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Key;
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
  private final boolean foreign;
  private final boolean whole;
  private final Map<String, SourceNode> byKey = new HashMap<>(0);
  private @Nullable Key key;
  private @Nullable SourceNode first;
  private @Nullable SourceNode next;
  private @Nullable Column column;

  /** The root of an index's documents. */
  SourceNode(MappedFields mapped, Columns columns) {
    this("", mapped, columns);
  }

  private SourceNode(String path, MappedFields mapped, Columns columns) {
    this.path = path;
    this.mapped = mapped;
    this.columns = columns;
    this.foreign = !path.isEmpty() && columns.isForeign(path);
    this.whole = foreign || mapped.isWhole(path);
  }

  /** The path from the root, with dots. */
  String path() {
    return path;
  }

  /** Whether an object here is one value, not many fields. */
  boolean isWhole() {
    return whole;
  }

  /** The column of the values here; null where there is none and none may come. */
  @Nullable Column column() {
    Column known = column;
    if (known == null) {
      known = columns.find(path);
      column = known;
      if (known != null && !columns.isClosed()) {
        declare(known, path, mapped);
      }
    }
    return known;
  }

  /** Says what an index's mapping says of a column of this path, if anything. */
  static void declare(Column column, String path, MappedFields mapped) {
    MappedFields.Field field = mapped.at(path);
    if (field != null) {
      column.declare(field.type(), field.format());
    } else if (mapped.isObject(path)) {
      column.declare("object", "");
    }
  }

  /**
   * What lies below under the key that is next, which the cursor goes over.
   *
   * @param before what the member before led to; null for none
   */
  SourceNode child(JsonCursor cursor, @Nullable SourceNode before) {
    SourceNode guess = before == null ? first : before.next;
    return guess != null && guess.isNext(cursor) ? guess : other(cursor, before, guess);
  }

  private boolean isNext(JsonCursor cursor) {
    Key known = key;
    return known != null && cursor.take(known);
  }

  private SourceNode other(
      JsonCursor cursor, @Nullable SourceNode before, @Nullable SourceNode guess) {
    cursor.key();
    if (guess != null && guess.isAt(cursor)) {
      return guess; // with blanks behind it
    }
    JsonBytes text = new JsonBytes(cursor.to() - cursor.from());
    text.unquote(cursor.bytes(), cursor.from(), cursor.to());
    String name = text.toString();
    SourceNode found = byKey.get(name);
    if (found == null) {
      found = new SourceNode(path.isEmpty() ? name : path + "." + name, mapped, columns);
      if (found.foreign) {
        return found; // there may be any number of them: they are not kept
      }
      byKey.put(name, found);
    }
    found.key = Key.of(cursor.bytes(), cursor.from(), cursor.to());
    if (before == null) {
      first = found;
    } else {
      before.next = found;
    }
    return found;
  }

  private boolean isAt(JsonCursor cursor) {
    return key != null && key.isAll(cursor.bytes(), cursor.from(), cursor.to());
  }
}
