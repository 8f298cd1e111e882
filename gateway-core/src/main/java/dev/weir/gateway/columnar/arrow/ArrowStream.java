package dev.weir.gateway.columnar.arrow;

import dev.weir.gateway.columnar.table.Column;
import dev.weir.gateway.columnar.table.Kinds;
import dev.weir.gateway.columnar.table.Row;
import dev.weir.gateway.columnar.table.RowSink;
import dev.weir.gateway.columnar.table.Rows;
import dev.weir.gateway.parse.AnswerForm.Outputs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.core.common.bytes.BytesReference;

/** Rows as one stream: the schema, dictionaries, one batch of all rows. Used by one thread. */
public final class ArrowStream implements RowSink {
  private final List<Gathered> columns = new ArrayList<>();
  private int count;

  /** A column and what it comes to; the id of its dictionary is its index. */
  private record Gathered(
      Column column, ArrowType type, boolean list, Vector vector, Dictionary words) {}

  private ArrowStream(Rows rows, Fitting fitting, Outputs outputs) {
    for (Column column : rows.columns().all()) {
      ArrowType type = fitting.type(column);
      boolean list = type != ArrowType.JSON && Kinds.any(column.kinds(), Kinds.LIST);
      Dictionary words = new Dictionary();
      Scalars scalars = new Scalars(new Instants(column));
      Vector vector = Vector.of(type, scalars, outputs, words);
      columns.add(
          new Gathered(column, type, list, list ? new ListVector(vector, outputs) : vector, words));
    }
  }

  /**
   * Writes rows, which are read twice, or once more where indices differ.
   *
   * @param metadata what the schema tells beside the columns
   * @return the pieces of the stream
   */
  public static List<BytesReference> write(Rows rows, Map<String, String> metadata, Outputs outputs)
      throws IOException {
    Fitting fitting = Fitting.of(rows);
    ArrowStream stream = new ArrowStream(rows, fitting, outputs);
    rows.each(stream);
    return stream.pieces(metadata, outputs);
  }

  @Override
  public void row(Row row) {
    for (Gathered each : columns) {
      int index = each.column.index();
      if (row.has(index)) {
        each.vector.add(row.data(index), row.from(index), row.to(index), row.kinds(index));
      } else {
        each.vector.addNull();
      }
    }
    count++;
  }

  private List<BytesReference> pieces(Map<String, String> metadata, Outputs outputs) {
    SchemaMessage schema = new SchemaMessage();
    for (Gathered each : columns) {
      Column column = each.column;
      schema.column(column.name(), column.type(), each.type, each.list, column.index());
    }
    List<BytesReference> pieces = new ArrayList<>();
    pieces.add(schema.message(metadata));
    Body batch = new Body();
    for (Gathered each : columns) {
      if (each.type == ArrowType.WORD) {
        Body words = each.words.body(outputs);
        pieces.add(Messages.dictionary(each.column.index(), each.words.size(), words));
        pieces.addAll(words.pieces());
      }
      each.vector.addTo(batch);
    }
    pieces.add(Messages.batch(count, batch));
    pieces.addAll(batch.pieces());
    pieces.add(Messages.END);
    return pieces;
  }
}
