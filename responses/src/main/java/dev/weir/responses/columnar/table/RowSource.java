package dev.weir.responses.columnar.table;

import java.io.IOException;

/** A source of rows that can be read more than once. */
public interface RowSource {
  /** Returns the columns; they are complete only after the first reading. */
  Columns columns();

  /** Passes each row to a sink; the order and the content are the same each time. */
  void forEachRow(RowSink sink) throws IOException;
}
