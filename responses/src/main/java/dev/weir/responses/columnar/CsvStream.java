package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import dev.weir.rest.AnswerForm.Outputs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** Rows as CSV. Used by one thread. */
final class CsvStream implements TableStream {
  private static final int PAGE = 16 << 10;

  private final HitReader reader;
  private final Columns columns;
  private final Column rest;

  CsvStream(HitReader reader, Columns columns) {
    this.reader = reader;
    this.columns = columns;
    this.rest = columns.all().getLast();
  }

  @Override
  public String contentType() {
    return Format.CSV.contentType();
  }

  @Override
  public BytesReference head(Outputs outputs) {
    CsvRows rows = new CsvRows(columns, outputs.open(256));
    rows.names();
    return rows.bytes();
  }

  @Override
  public List<BytesReference> page(
      FoundHits hits, int count, Map<String, String> told, Outputs outputs) throws IOException {
    CsvRows rows = new CsvRows(columns, outputs.open(PAGE));
    for (int i = 0; i < count; i++) {
      Row row = hits.read(i, reader);
      if (row.hasRest()) {
        JsonBytes object = row.endRest();
        row.add(rest, object.bytes(), 0, object.length(), Kinds.OBJECT);
      }
      rows.row(row);
    }
    return List.of(rows.bytes());
  }

  @Override
  public BytesReference end() {
    return BytesArray.EMPTY;
  }

  @Override
  public BytesReference broken(String errorJson) {
    return BytesArray.EMPTY;
  }
}
