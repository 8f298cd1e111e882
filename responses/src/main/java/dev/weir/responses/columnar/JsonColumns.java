package dev.weir.responses.columnar;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.responses.columnar.table.Buffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.rest.AnswerForm.Outputs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Rows as JSON columns, each of which is written into an output of its own while the rows go by.
 * Used by one thread.
 */
final class JsonColumns implements RowSink {
  private static final byte[] NULL = "null".getBytes(US_ASCII);
  private static final BytesReference BETWEEN = new BytesArray("],[");

  private final Columns known;
  private final Outputs outputs;
  private final List<Buffer> parts = new ArrayList<>();
  private int[] written = new int[16];
  private int count;

  JsonColumns(Columns known, Outputs outputs) {
    this.known = known;
    this.outputs = outputs;
  }

  @Override
  public void row(Row row) {
    for (int i = 0; i < row.count(); i++) {
      int column = row.touched(i);
      Buffer part = part(column);
      fill(column, part, count);
      comma(column, part);
      part.put(row.data(column), row.from(column), row.to(column) - row.from(column));
      written[column]++;
    }
    count++;
  }

  private Buffer part(int column) {
    if (column >= parts.size()) {
      open(column);
    }
    return parts.get(column);
  }

  private void open(int column) {
    while (parts.size() <= column) {
      parts.add(new Buffer(outputs.open(Buffer.ROOM)));
    }
    if (column >= written.length) {
      written = Arrays.copyOf(written, Math.max(column + 1, written.length * 2));
    }
  }

  private void comma(int column, Buffer part) {
    if (written[column] > 0) {
      part.put(',');
    }
  }

  /** Says of rows that went by since that they have no value. */
  private void fill(int column, Buffer part, int upTo) {
    while (written[column] < upTo) {
      comma(column, part);
      part.put(NULL, 0, NULL.length);
      written[column]++;
    }
  }

  /**
   * Adds the members {@code columns} and {@code values} of an object.
   *
   * @param pieces what is there already of it
   */
  void addTo(List<BytesReference> pieces) {
    JsonBytes head = new JsonBytes(256);
    List<Column> columns = known.all();
    head.ascii("\"columns\":[");
    for (Column column : columns) {
      head.ascii(column.index() == 0 ? "{\"name\":" : ",{\"name\":");
      head.quote(column.name());
      head.ascii(",\"type\":");
      head.quote(column.type());
      head.write('}');
    }
    head.ascii(columns.isEmpty() ? "],\"values\":[" : "],\"values\":[[");
    pieces.add(reference(head));
    for (Column column : columns) {
      Buffer part = part(column.index());
      fill(column.index(), part, count);
      if (column.index() > 0) {
        pieces.add(BETWEEN);
      }
      BytesReference values = part.bytes();
      if (values.length() > 0) {
        pieces.add(values);
      }
    }
    pieces.add(new BytesArray(columns.isEmpty() ? "]" : "]]"));
  }

  static BytesReference reference(JsonBytes json) {
    return new BytesArray(json.bytes(), 0, json.length());
  }
}
