package dev.weir.responses.columnar;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** Writes hits as CSV, page by page. Used by one thread. */
final class CsvTableStream implements TableStream {
  private static final int PAGE_BYTES = 16 << 10;

  private final HitRowReader reader;
  private final Columns columns;
  private final Column overflow;

  CsvTableStream(HitRowReader reader, Columns columns) {
    this.reader = reader;
    this.columns = columns;
    this.overflow = columns.all().getLast();
  }

  @Override
  public String contentType() {
    return ColumnarFormat.CSV.contentType();
  }

  @Override
  public BytesReference writeHeader(OutputFactory outputs) {
    CsvRowWriter rows = new CsvRowWriter(columns, outputs.open(256));
    rows.writeHeader();
    return rows.bytes();
  }

  @Override
  public List<BytesReference> writePage(
      ResponseHits hits, int count, Map<String, String> metadata, OutputFactory outputs)
      throws IOException {
    CsvRowWriter rows = new CsvRowWriter(columns, outputs.open(PAGE_BYTES));
    for (int i = 0; i < count; i++) {
      Row row = hits.readRow(i, reader);
      if (row.hasOverflow()) {
        JsonBuffer object = row.finishOverflow();
        row.add(overflow, object.bytes(), 0, object.length(), ValueKinds.OBJECT);
      }
      rows.accept(row);
    }
    return List.of(rows.bytes());
  }

  @Override
  public BytesReference writeEnd() {
    return BytesArray.EMPTY;
  }

  @Override
  public BytesReference writeError(String errorJson) {
    return BytesArray.EMPTY;
  }
}
