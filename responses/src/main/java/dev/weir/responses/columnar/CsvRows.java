package dev.weir.responses.columnar;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.weir.responses.columnar.table.Buffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Longs;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.Rows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Rows as CSV (RFC 4180): a line of names first, CRLF after each line, quotes where they are
 * needed. No value is an empty cell, an empty text is {@code ""}. A list or an object is its JSON.
 * Used by one thread.
 */
final class CsvRows implements RowSink {
  private static final byte[] END = "\r\n".getBytes(US_ASCII);

  private static final long COMMAS = Longs.all(',');
  private static final long QUOTES = Longs.all('"');
  private static final long RETURNS = Longs.all('\r');
  private static final long FEEDS = Longs.all('\n');

  private final Columns columns;
  private final Buffer out;
  private final JsonBytes cell = new JsonBytes(256);

  CsvRows(Columns columns, BytesStreamOutput out) {
    this.columns = columns;
    this.out = new Buffer(out);
  }

  /** Writes rows, which are read twice if a row has a column that none before has. */
  static BytesReference write(Rows rows, BytesStreamOutput out) throws IOException {
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
      csv.out.clear();
      csv.names();
      rows.each(csv);
    }
    return csv.bytes();
  }

  /** All that was written; nothing more can be. */
  BytesReference bytes() {
    return out.bytes();
  }

  /** Writes the names of the columns. */
  void names() {
    for (Column column : columns.all()) {
      comma(column);
      byte[] name = column.name().getBytes(StandardCharsets.UTF_8);
      text(name, 0, name.length);
    }
    out.put(END, 0, END.length);
  }

  @Override
  public void row(Row row) {
    for (Column column : columns.all()) {
      comma(column);
      if (row.has(column.index())) {
        cell(row, column.index());
      }
    }
    out.put(END, 0, END.length);
  }

  private void comma(Column column) {
    if (column.index() > 0) {
      out.put(',');
    }
  }

  private void cell(Row row, int column) {
    byte[] json = row.data(column);
    int from = row.from(column);
    int to = row.to(column);
    int kinds = row.kinds(column);
    if (kinds == Kinds.STRING) {
      string(json, from, to);
    } else if (Kinds.any(kinds, Kinds.LIST | Kinds.OBJECT)) {
      text(json, from, to);
    } else if (kinds != Kinds.NULL) {
      out.put(json, from, to - from);
    }
  }

  private void string(byte[] json, int from, int to) {
    if (JsonBytes.escape(json, from + 1, to - 1) == to - 1) {
      text(json, from + 1, to - 1);
      return;
    }
    cell.clear();
    cell.unquote(json, from, to);
    text(cell.bytes(), 0, cell.length());
  }

  private void text(byte[] bytes, int from, int to) {
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
        && firstSpecial(bytes, from, to) >= to;
  }

  /** Where the first byte is that needs quotes; perhaps behind the last one for none. */
  private static int firstSpecial(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && at <= bytes.length - Long.BYTES) {
      long text = Longs.at(bytes, at);
      long found =
          Longs.zeros(text ^ COMMAS)
              | Longs.zeros(text ^ QUOTES)
              | Longs.zeros(text ^ RETURNS)
              | Longs.zeros(text ^ FEEDS);
      at += Longs.below(found);
      if (found != 0) {
        return at;
      }
    }
    return lastSpecial(bytes, at, to);
  }

  private static int lastSpecial(byte[] bytes, int from, int to) {
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
