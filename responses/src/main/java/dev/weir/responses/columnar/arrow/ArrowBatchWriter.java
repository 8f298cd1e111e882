package dev.weir.responses.columnar.arrow;

import dev.weir.model.JsonBuffer;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.ValueKinds;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Writes rows as a stream of record batches. Columns and types are fixed before the first row: a
 * value that does not fit its column goes into the last column, as a member of a JSON object. Texts
 * use no dictionary, so that no batch depends on another. Used by one thread.
 */
public final class ArrowBatchWriter implements RowSink {
  private final List<FixedColumn> columns = new ArrayList<>();
  private final Column overflow;
  private final JsonCursor cursor = new JsonCursor();
  private final List<ColumnVector> vectors = new ArrayList<>();
  private int count;

  /** A column with the type of its values. */
  private record FixedColumn(Column column, ValueLayout layout) {
    ColumnVector createVector(OutputFactory outputs) {
      return VectorFactory.create(layout, column, outputs, new WordDictionary());
    }

    /** Returns true if the column accepts only values that are no lists. */
    boolean isScalarOnly() {
      return !layout.isList() && layout.type() != ArrowType.JSON;
    }
  }

  /**
   * Creates a writer.
   *
   * @param all the columns; the last one receives values that fit no other
   * @param lists selects the columns with lists as values
   */
  public ArrowBatchWriter(Columns all, Predicate<Column> lists) {
    overflow = all.all().getLast();
    DeclaredLayout layouts = new DeclaredLayout(lists);
    for (Column column : all.all()) {
      columns.add(
          new FixedColumn(
              column, column == overflow ? ValueLayout.JSON : layouts.layoutOf(column)));
    }
  }

  /**
   * Writes the start of the stream.
   *
   * @param metadata added to the schema
   */
  public BytesReference writeSchema(Map<String, String> metadata) {
    SchemaMessageBuilder schema = new SchemaMessageBuilder();
    for (FixedColumn each : columns) {
      Column column = each.column;
      schema.addColumn(column.name(), column.type(), each.layout, column.index());
    }
    return schema.build(metadata);
  }

  public void beginBatch(OutputFactory outputs) {
    vectors.clear();
    count = 0;
    for (FixedColumn each : columns) {
      vectors.add(each.createVector(outputs));
    }
  }

  @Override
  public void accept(Row row) {
    for (FixedColumn each : columns) {
      int index = each.column.index();
      if (index == overflow.index()) {
        continue;
      }
      if (!row.hasValue(index)) {
        vectors.get(index).addNull();
      } else if (!offerValue(each, row)) {
        vectors.get(index).addNull();
        row.addOverflow(each.column.name(), row.bytes(index), row.start(index), row.end(index));
      }
    }
    ColumnVector last = vectors.get(overflow.index());
    if (row.hasOverflow()) {
      JsonBuffer object = row.finishOverflow();
      last.add(object.bytes(), 0, object.length(), ValueKinds.OBJECT);
    } else {
      last.addNull();
    }
    count++;
  }

  private boolean offerValue(FixedColumn each, Row row) {
    int index = each.column.index();
    ColumnVector vector = vectors.get(index);
    int kinds = vector.kindsOf(row.kinds(index));
    if (!each.isScalarOnly() || !ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
      return vector.addIfFits(row.bytes(index), row.start(index), row.end(index), kinds);
    }
    return !ValueKinds.hasAny(kinds, ValueKinds.NESTED_LIST) && offerScalar(vector, row, index);
  }

  /** A list with one element counts as that element. */
  private boolean offerScalar(ColumnVector vector, Row row, int index) {
    cursor.reset(row.bytes(index), row.start(index), row.end(index));
    cursor.expect('[');
    if (cursor.peek() == ']') {
      return false;
    }
    int kind = cursor.skip();
    int from = cursor.tokenStart();
    int to = cursor.tokenEnd();
    cursor.takeComma();
    return kind != ValueKinds.NULL
        && cursor.peek() == ']'
        && vector.addIfFits(row.bytes(index), from, to, kind);
  }

  /**
   * Ends the batch.
   *
   * @param metadata added to the batch's message
   * @return the batch's bytes
   */
  public List<BytesReference> endBatch(Map<String, String> metadata) {
    RecordBatchBody body = new RecordBatchBody();
    vectors.forEach(vector -> vector.appendTo(body));
    List<BytesReference> pieces = new ArrayList<>(body.pieces().size() + 1);
    pieces.add(MessageEncoder.encodeBatch(count, body, metadata));
    pieces.addAll(body.pieces());
    vectors.clear();
    return pieces;
  }

  /** Returns the end of the stream. */
  public static BytesReference endStream() {
    return MessageEncoder.END_OF_STREAM;
  }
}
