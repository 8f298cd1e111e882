package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import java.io.IOException;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Finds the values of columns in documents. An object's members are columns of their own; a list is
 * one value, whatever is in it. Used by one thread.
 */
final class SourceReader {
  private final JsonCursor cursor = new JsonCursor();
  private final JsonBytes gathered = new JsonBytes(1024);
  private Row row = new Row();

  /**
   * Puts a document's values into a row, except where it has one already from another part of the
   * hit. They are valid until the next document is read.
   */
  void read(BytesReference source, SourceNode root, Row into) throws IOException {
    row = into;
    into.secondPart();
    if (source.length() == 0) {
      return;
    }
    BytesReference json = source;
    if (source.get(0) != '{') {
      json = new BytesArray(json(source));
    }
    over(json);
    object(root);
  }

  /** The same of a document in JSON that lies in an array. */
  void read(byte[] bytes, int from, int length, SourceNode root, Row into) {
    row = into;
    into.secondPart();
    cursor.over(bytes, from, from + length);
    object(root);
  }

  @SuppressWarnings("deprecation") // a document does not say what it is: it is to be guessed
  private static String json(BytesReference source) throws IOException {
    byte[] own = BytesReference.toBytes(source); // by what these begin with it is guessed
    return XContentHelper.convertToJson(new BytesArray(own), false);
  }

  private void over(BytesReference json) throws IOException {
    if (json instanceof BytesArray whole) {
      BytesRef bytes = whole.toBytesRef();
      cursor.over(bytes.bytes, bytes.offset, bytes.offset + bytes.length);
      return;
    }
    gathered.clear();
    BytesRefIterator parts = json.iterator();
    for (BytesRef part = parts.next(); part != null; part = parts.next()) {
      gathered.write(part.bytes, part.offset, part.length);
    }
    cursor.over(gathered.bytes(), 0, gathered.length());
  }

  private void object(SourceNode node) {
    SourceNode before = null;
    cursor.take('{');
    while (cursor.peek() != '}') {
      before = node.child(cursor, before);
      member(before);
      cursor.takeComma();
    }
    cursor.take('}');
  }

  private void member(SourceNode node) {
    if (cursor.peek() == '{' && !node.isWhole()) {
      object(node);
      return;
    }
    int kinds = cursor.skip();
    if (kinds != Kinds.NULL) {
      Column column = node.column();
      if (column == null) {
        row.addRest(node.path(), cursor.bytes(), cursor.from(), cursor.to());
      } else if (!row.isOfFirstPart(column)) {
        row.add(column, cursor.bytes(), cursor.from(), cursor.to(), kinds);
      }
    }
  }
}
