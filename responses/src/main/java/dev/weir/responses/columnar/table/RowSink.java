package dev.weir.responses.columnar.table;

import java.io.IOException;

/** Receives rows one by one. */
@FunctionalInterface
public interface RowSink {
  /** Consumes a row; the row changes after this returns. */
  void accept(Row row) throws IOException;
}
