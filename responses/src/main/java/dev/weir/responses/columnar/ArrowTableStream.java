package dev.weir.responses.columnar;

import dev.weir.responses.columnar.arrow.ArrowBatchWriter;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** Writes hits as an Arrow IPC stream, one record batch for each page. Used by one thread. */
final class ArrowTableStream implements TableStream {
  private final HitRowReader reader;
  private final ArrowBatchWriter batchWriter;

  ArrowTableStream(HitRowReader reader, Columns columns, Predicate<Column> isList) {
    this.reader = reader;
    this.batchWriter = new ArrowBatchWriter(columns, isList);
  }

  @Override
  public String contentType() {
    return ColumnarFormat.ARROW.contentType();
  }

  @Override
  public BytesReference writeHeader(OutputFactory outputs) {
    return batchWriter.writeSchema(Map.of());
  }

  @Override
  public List<BytesReference> writePage(
      ResponseHits hits, int count, Map<String, String> metadata, OutputFactory outputs)
      throws IOException {
    batchWriter.beginBatch(outputs);
    for (int i = 0; i < count; i++) {
      batchWriter.accept(hits.readRow(i, reader));
    }
    return batchWriter.endBatch(metadata);
  }

  @Override
  public BytesReference writeEnd() {
    return ArrowBatchWriter.endStream();
  }

  @Override
  public BytesReference writeError(String errorJson) {
    return BytesArray.EMPTY;
  }
}
