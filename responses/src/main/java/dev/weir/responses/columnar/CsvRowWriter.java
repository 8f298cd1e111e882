package dev.weir.responses.columnar;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.model.JsonBuffer;
import dev.weir.model.PackedBytes;
import dev.weir.responses.columnar.table.BufferedBytesWriter;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Writes rows as CSV (RFC 4180): a line of column names first, CRLF after each line, quotes only
 * where necessary. A missing value is an empty cell, an empty text is {@code ""}; a list or an
 * object is JSON text. Used by one thread.
 */
final class CsvRowWriter implements RowSink {
  private static final byte[] LINE_END = "\r\n".getBytes(US_ASCII);

  private static final long COMMAS = PackedBytes.repeat(',');
  private static final long QUOTES = PackedBytes.repeat('"');
  private static final long CARRIAGE_RETURNS = PackedBytes.repeat('\r');
  private static final long LINE_FEEDS = PackedBytes.repeat('\n');

  private final Columns columns;
  private final BufferedBytesWriter out;
  private final JsonBuffer cell = new JsonBuffer(256);

  CsvRowWriter(Columns columns, BytesStreamOutput out) {
    this.columns = columns;
    this.out = new BufferedBytesWriter(out);
  }

  /**
   * Writes all rows. Reads them twice if a later row adds a column, because the header is already
   * written.
   */
  static BytesReference write(RowSource rows, BytesStreamOutput out) throws IOException {
    Columns columns = rows.columns();
    CsvRowWriter csv = new CsvRowWriter(columns, out);
    int[] named = {-1};
    rows.forEachRow(row -> {
      if (named[0] < 0) {
        csv.writeHeader();
        named[0] = columns.size();
      }
      if (named[0] == columns.size()) {
        csv.accept(row);
      }
    });
    if (named[0] != columns.size()) {
      csv.out.clear();
      csv.writeHeader();
      rows.forEachRow(csv);
    }
    return csv.bytes();
  }

  /** Returns the whole output; call it last. */
  BytesReference bytes() {
    return out.bytes();
  }

  void writeHeader() {
    for (Column column : columns.all()) {
      writeComma(column);
      byte[] name = column.name().getBytes(StandardCharsets.UTF_8);
      writeText(name, 0, name.length);
    }
    out.put(LINE_END, 0, LINE_END.length);
  }

  @Override
  public void accept(Row row) {
    for (Column column : columns.all()) {
      writeComma(column);
      if (row.hasValue(column.index())) {
        cell(row, column.index());
      }
    }
    out.put(LINE_END, 0, LINE_END.length);
  }

  private void writeComma(Column column) {
    if (column.index() > 0) {
      out.put(',');
    }
  }

  private void cell(Row row, int column) {
    byte[] json = row.bytes(column);
    int from = row.start(column);
    int to = row.end(column);
    int kinds = row.kinds(column);
    if (kinds == ValueKinds.STRING) {
      writeString(json, from, to);
    } else if (ValueKinds.hasAny(kinds, ValueKinds.LIST | ValueKinds.OBJECT)) {
      writeText(json, from, to);
    } else if (kinds != ValueKinds.NULL) {
      out.put(json, from, to - from);
    }
  }

  private void writeString(byte[] json, int from, int to) {
    if (JsonBuffer.findEscape(json, from + 1, to - 1) == to - 1) {
      writeText(json, from + 1, to - 1);
      return;
    }
    cell.clear();
    cell.writeUnquoted(json, from, to);
    writeText(cell.bytes(), 0, cell.length());
  }

  private void writeText(byte[] bytes, int from, int to) {
    if (isPlain(bytes, from, to)) {
      out.put(bytes, from, to - from);
      return;
    }
    out.put('"');
    int start = from;
    for (int i = from; i < to; i++) {
      if (bytes[i] == '"') {
        out.put(bytes, start, i + 1 - start);
        start = i; // once more
      }
    }
    out.put(bytes, start, to - start);
    out.put('"');
  }

  private static boolean isPlain(byte[] bytes, int from, int to) {
    return from < to
        && bytes[from] != ' '
        && bytes[to - 1] != ' '
        && findFirstSpecial(bytes, from, to) >= to;
  }

  /**
   * Finds the first byte that requires quotes; returns a position at or after {@code to} if there
   * is none.
   */
  private static int findFirstSpecial(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && at <= bytes.length - Long.BYTES) {
      long text = PackedBytes.readLong(bytes, at);
      long found =
          PackedBytes.zeroByteMask(text ^ COMMAS)
              | PackedBytes.zeroByteMask(text ^ QUOTES)
              | PackedBytes.zeroByteMask(text ^ CARRIAGE_RETURNS)
              | PackedBytes.zeroByteMask(text ^ LINE_FEEDS);
      at += PackedBytes.bytesBelow(found);
      if (found != 0) {
        return at;
      }
    }
    return findLastSpecial(bytes, at, to);
  }

  private static int findLastSpecial(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to
        && bytes[at] != ','
        && bytes[at] != '"'
        && bytes[at] != '\r'
        && bytes[at] != '\n') {
      at++;
    }
    return at;
  }
}
