package dev.weir.responses.columnar.table;

import java.io.IOException;

/** Rows that can be read more than once. */
public interface RowSource {
  /** Their columns; all of them are known only when the rows were read once. */
  Columns columns();

  /** Gives each row to a sink, in order; the same ones each time. */
  void forEachRow(RowSink sink) throws IOException;
}
