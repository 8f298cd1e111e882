package dev.weir.node.columns;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.io.stream.StreamOutput;
import org.opensearch.core.common.io.stream.Writeable;

/**
 * The fetched documents of one shard as columns; its rows have the order in which the documents
 * were asked for. On the wire: the number of rows as a vint; a boolean, true if there are ids, then
 * the {@linkplain WordList words} with an id for each row; the number of columns as a vint; then
 * the {@linkplain ColumnValues columns}.
 *
 * @param ids by row; null if the search wants none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FetchedColumns(int rows, String @Nullable [] ids, List<ColumnValues> columns)
    implements Writeable {
  @Override
  public void writeTo(StreamOutput out) throws IOException {
    out.writeVInt(rows);
    out.writeBoolean(ids != null);
    if (ids != null) {
      WordList.write(List.of(ids), out);
    }
    out.writeVInt(columns.size());
    for (ColumnValues column : columns) {
      column.writeTo(out);
    }
  }
}
