package dev.weir.core.reduce.columns;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.document.DocumentField;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.search.SearchHit;

/**
 * The documents fetched from one shard as columns, in the order in which they were asked for. The
 * plugin's {@code FetchedColumns} says how they lie on the wire. Immutable.
 */
public final class ShardColumns {
  private final int rows;
  private final @Nullable Words ids;
  private final List<ShardColumn> columns;

  private ShardColumns(int rows, @Nullable Words ids, List<ShardColumn> columns) {
    this.rows = rows;
    this.ids = ids;
    this.columns = columns;
  }

  /**
   * Reads a reply.
   *
   * @param documents the number of rows that were asked for
   */
  static ShardColumns read(StreamInput in, int documents) throws IOException {
    int rows = in.readVInt();
    if (rows != documents) {
      throw new IOException("got " + rows + " rows (expected: " + documents + ")");
    }
    Words ids = in.readBoolean() ? Words.read(in) : null;
    if (ids != null && ids.count() != rows) {
      throw new IOException("got " + ids.count() + " ids (expected: " + rows + ")");
    }
    int count = readCount(in, 1);
    List<ShardColumn> columns = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      columns.add(ShardColumn.read(in, rows));
    }
    return new ShardColumns(rows, ids, columns);
  }

  /** Reads a vint that announces at least so many bytes for each that it counts. */
  static int readCount(StreamInput in, int bytesEach) throws IOException {
    int count = in.readVInt();
    if (count < 0 || (long) count * bytesEach > in.available()) {
      throw new IOException(
          "got a count of " + count + " before " + in.available() + " bytes (expected: fewer)");
    }
    return count;
  }

  /** Returns the number of documents. */
  public int rows() {
    return rows;
  }

  /** Returns the ids by row; null if the search wants none. */
  public @Nullable Words ids() {
    return ids;
  }

  /** Returns the columns of all fields that the shard's mapping has. */
  public List<ShardColumn> columns() {
    return columns;
  }

  /** Creates the hit that a node without the plugin returns for a row. */
  SearchHit toHit(int row) {
    Map<String, DocumentField> fields = new HashMap<>(columns.size());
    for (ShardColumn column : columns) {
      List<Object> values = new ArrayList<>(column.end(row) - column.start(row));
      for (int at = column.start(row); at < column.end(row); at++) {
        values.add(column.object(at));
      }
      fields.put(column.name(), new DocumentField(column.name(), values));
    }
    return new SearchHit(row, ids == null ? null : ids.word(row), fields, Map.of());
  }
}
