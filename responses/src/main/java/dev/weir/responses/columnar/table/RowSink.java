package dev.weir.responses.columnar.table;

import java.io.IOException;

/** Takes rows one after the other. */
@FunctionalInterface
public interface RowSink {
  /** Takes what it needs of a row, which is another one when this returns. */
  void accept(Row row) throws IOException;
}
