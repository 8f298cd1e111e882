package dev.weir.responses.columnar;

import dev.weir.responses.columnar.arrow.ArrowBatches;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.rest.AnswerForm.Outputs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** Rows as Arrow's stream, a batch a page. Used by one thread. */
final class ArrowTableStream implements TableStream {
  private final HitReader reader;
  private final ArrowBatches batches;

  ArrowTableStream(HitReader reader, Columns columns, Predicate<Column> isList) {
    this.reader = reader;
    this.batches = new ArrowBatches(columns, isList);
  }

  @Override
  public String contentType() {
    return Format.ARROW.contentType();
  }

  @Override
  public BytesReference head(Outputs outputs) {
    return batches.schema(Map.of());
  }

  @Override
  public List<BytesReference> page(
      FoundHits hits, int count, Map<String, String> told, Outputs outputs) throws IOException {
    batches.begin(outputs);
    for (int i = 0; i < count; i++) {
      batches.row(hits.read(i, reader));
    }
    return batches.end(told);
  }

  @Override
  public BytesReference end() {
    return ArrowBatches.last();
  }

  @Override
  public BytesReference broken(String errorJson) {
    return BytesArray.EMPTY;
  }
}
