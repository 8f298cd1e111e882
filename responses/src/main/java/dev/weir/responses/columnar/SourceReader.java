package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefIterator;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Extracts the values of columns from documents. The members of an object have their own columns; a
 * list is one value. Used by one thread.
 */
final class SourceReader {
  private final JsonCursor cursor = new JsonCursor();
  private final JsonBuffer copiedSource = new JsonBuffer(1024);
  private Row row = new Row();

  /**
   * Adds a document's values to a row, except in columns that another part of the hit has already
   * set. The values are valid until the next call.
   */
  void read(BytesReference source, SourceNode root, Row into) throws IOException {
    row = into;
    into.beginSecondPart();
    if (source.length() == 0) {
      return;
    }
    BytesReference json = source;
    if (source.get(0) != '{') {
      json = new BytesArray(toJson(source));
    }
    resetTo(json);
    readObject(root);
  }

  /** Adds the values of a JSON document in an array. */
  void read(byte[] bytes, int from, int length, SourceNode root, Row into) {
    row = into;
    into.beginSecondPart();
    cursor.reset(bytes, from, from + length);
    readObject(root);
  }

  @SuppressWarnings("deprecation") // a source has no media type: detect it
  private static String toJson(BytesReference source) throws IOException {
    byte[] own = BytesReference.toBytes(source); // the first bytes determine the media type
    return XContentHelper.convertToJson(new BytesArray(own), false);
  }

  private void resetTo(BytesReference json) throws IOException {
    if (json instanceof BytesArray whole) {
      BytesRef bytes = whole.toBytesRef();
      cursor.reset(bytes.bytes, bytes.offset, bytes.offset + bytes.length);
      return;
    }
    copiedSource.clear();
    BytesRefIterator parts = json.iterator();
    for (BytesRef part = parts.next(); part != null; part = parts.next()) {
      copiedSource.write(part.bytes, part.offset, part.length);
    }
    cursor.reset(copiedSource.bytes(), 0, copiedSource.length());
  }

  private void readObject(SourceNode node) {
    SourceNode before = null;
    cursor.expect('{');
    while (cursor.peek() != '}') {
      before = node.nextChild(cursor, before);
      readMember(before);
      cursor.takeComma();
    }
    cursor.expect('}');
  }

  private void readMember(SourceNode node) {
    if (cursor.peek() == '{' && !node.isSingleValue()) {
      readObject(node);
      return;
    }
    int kinds = cursor.skip();
    if (kinds != ValueKinds.NULL) {
      Column column = node.column();
      if (column == null) {
        row.addOverflow(node.path(), cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd());
      } else if (!row.isFromFirstPart(column)) {
        row.add(column, cursor.bytes(), cursor.tokenStart(), cursor.tokenEnd(), kinds);
      }
    }
  }
}
