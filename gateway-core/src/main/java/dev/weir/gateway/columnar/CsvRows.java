package dev.weir.gateway.columnar;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.gateway.columnar.table.Column;
import dev.weir.gateway.columnar.table.Columns;
import dev.weir.gateway.columnar.table.JsonBytes;
import dev.weir.gateway.columnar.table.Kinds;
import dev.weir.gateway.columnar.table.Row;
import dev.weir.gateway.columnar.table.RowSink;
import dev.weir.gateway.columnar.table.Rows;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.opensearch.common.io.stream.BytesStreamOutput;

/**
 * Rows as CSV (RFC 4180): a line of names first, CRLF after each line, quotes where they are
 * needed. No value is an empty cell, an empty text is {@code ""}. A list or an object is its JSON.
 * Used by one thread.
 */
final class CsvRows implements RowSink {
  private static final byte[] END = "\r\n".getBytes(US_ASCII);

  private final Columns columns;
  private final OutputStream out;
  private final JsonBytes cell = new JsonBytes(256);

  CsvRows(Columns columns, OutputStream out) {
    this.columns = columns;
    this.out = out;
  }

  /** Writes rows, which are read twice if a row has a column that none before has. */
  static void write(Rows rows, BytesStreamOutput out) throws IOException {
    Columns columns = rows.columns();
    CsvRows csv = new CsvRows(columns, out);
    int[] named = {-1};
    rows.each(row -> {
      if (named[0] < 0) {
        csv.names();
        named[0] = columns.size();
      }
      if (named[0] == columns.size()) {
        csv.row(row);
      }
    });
    if (named[0] != columns.size()) {
      out.reset();
      csv.names();
      rows.each(csv);
    }
  }

  /** Writes the names of the columns. */
  void names() throws IOException {
    for (Column column : columns.all()) {
      comma(column);
      byte[] name = column.name().getBytes(StandardCharsets.UTF_8);
      text(name, 0, name.length);
    }
    out.write(END);
  }

  @Override
  public void row(Row row) throws IOException {
    for (Column column : columns.all()) {
      comma(column);
      if (row.has(column.index())) {
        cell(row, column.index());
      }
    }
    out.write(END);
  }

  private void comma(Column column) throws IOException {
    if (column.index() > 0) {
      out.write(',');
    }
  }

  private void cell(Row row, int column) throws IOException {
    byte[] json = row.data(column);
    int from = row.from(column);
    int to = row.to(column);
    int kinds = row.kinds(column);
    if (kinds == Kinds.STRING) {
      cell.clear();
      cell.unquote(json, from, to);
      text(cell.bytes(), 0, cell.length());
    } else if (Kinds.any(kinds, Kinds.LIST | Kinds.OBJECT)) {
      text(json, from, to);
    } else if (kinds != Kinds.NULL) {
      out.write(json, from, to - from);
    }
  }

  private void text(byte[] bytes, int from, int to) throws IOException {
    if (isPlain(bytes, from, to)) {
      out.write(bytes, from, to - from);
      return;
    }
    out.write('"');
    int start = from;
    for (int i = from; i < to; i++) {
      if (bytes[i] == '"') {
        out.write(bytes, start, i + 1 - start);
        start = i; // once more
      }
    }
    out.write(bytes, start, to - start);
    out.write('"');
  }

  private static boolean isPlain(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      switch (bytes[i]) {
        case ',', '"', '\r', '\n' -> {
          return false;
        }
        default -> {
          // needs no quotes
        }
      }
    }
    return from < to && bytes[from] != ' ' && bytes[to - 1] != ' ';
  }
}
