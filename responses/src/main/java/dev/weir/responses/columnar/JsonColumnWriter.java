package dev.weir.responses.columnar;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Writes rows as JSON columns. Each column has its own output, which grows row by row. Used by one
 * thread.
 */
final class JsonColumnWriter implements RowSink {
  private static final byte[] NULL = "null".getBytes(US_ASCII);
  private static final BytesReference COLUMNS_SEPARATOR = new BytesArray("],[");

  private final Columns columns;
  private final OutputFactory outputs;
  private final List<BufferedBytesWriter> buffers = new ArrayList<>();
  private int[] rowsWritten = new int[16];
  private int count;

  JsonColumnWriter(Columns known, OutputFactory outputs) {
    this.columns = known;
    this.outputs = outputs;
  }

  @Override
  public void accept(Row row) {
    for (int i = 0; i < row.count(); i++) {
      int column = row.presentColumn(i);
      BufferedBytesWriter part = bufferOf(column);
      fillNulls(column, part, count);
      writeComma(column, part);
      part.put(row.bytes(column), row.start(column), row.end(column) - row.start(column));
      rowsWritten[column]++;
    }
    count++;
  }

  private BufferedBytesWriter bufferOf(int column) {
    if (column >= buffers.size()) {
      openColumn(column);
    }
    return buffers.get(column);
  }

  private void openColumn(int column) {
    while (buffers.size() <= column) {
      buffers.add(new BufferedBytesWriter(outputs.open(BufferedBytesWriter.DEFAULT_CAPACITY)));
    }
    if (column >= rowsWritten.length) {
      rowsWritten = Arrays.copyOf(rowsWritten, Math.max(column + 1, rowsWritten.length * 2));
    }
  }

  private void writeComma(int column, BufferedBytesWriter part) {
    if (rowsWritten[column] > 0) {
      part.put(',');
    }
  }

  /** Writes {@code null} for the rows since the column's last value. */
  private void fillNulls(int column, BufferedBytesWriter part, int upTo) {
    while (rowsWritten[column] < upTo) {
      writeComma(column, part);
      part.put(NULL, 0, NULL.length);
      rowsWritten[column]++;
    }
  }

  /**
   * Appends the members {@code columns} and {@code values} to an object.
   *
   * @param pieces the object as written so far
   */
  void appendTo(List<BytesReference> pieces) {
    JsonBuffer head = new JsonBuffer(256);
    List<Column> columns = this.columns.all();
    head.writeAscii("\"columns\":[");
    for (Column column : columns) {
      head.writeAscii(column.index() == 0 ? "{\"name\":" : ",{\"name\":");
      head.writeQuoted(column.name());
      head.writeAscii(",\"type\":");
      head.writeQuoted(column.type());
      head.write('}');
    }
    head.writeAscii(columns.isEmpty() ? "],\"values\":[" : "],\"values\":[[");
    pieces.add(toReference(head));
    for (Column column : columns) {
      BufferedBytesWriter part = bufferOf(column.index());
      fillNulls(column.index(), part, count);
      if (column.index() > 0) {
        pieces.add(COLUMNS_SEPARATOR);
      }
      BytesReference values = part.bytes();
      if (values.length() > 0) {
        pieces.add(values);
      }
    }
    pieces.add(new BytesArray(columns.isEmpty() ? "]" : "]]"));
  }

  static BytesReference toReference(JsonBuffer json) {
    return new BytesArray(json.bytes(), 0, json.length());
  }
}
