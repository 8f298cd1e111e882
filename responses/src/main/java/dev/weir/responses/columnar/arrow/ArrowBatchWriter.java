package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBuffer;
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
 * Rows as a stream of many batches, whose columns and types are known before the first row: what
 * does not fit its column goes to the last one, as a member of an object. Texts are in no
 * dictionary, so that no batch depends on another. Used by one thread.
 */
public final class ArrowBatchWriter implements RowSink {
  private final List<FixedColumn> columns = new ArrayList<>();
  private final Column overflow;
  private final JsonCursor cursor = new JsonCursor();
  private final List<ColumnVector> vectors = new ArrayList<>();
  private int count;

  /** A column, and what its values are. */
  private record FixedColumn(
      Column column, ArrowType type, boolean isList, ScalarReader scalarReader) {
    ColumnVector createVector(OutputFactory outputs) {
      ColumnVector values = ColumnVector.create(type, scalarReader, outputs, new WordDictionary());
      return isList ? new ListVector(values, outputs) : values;
    }

    /** Whether it takes values that are no lists alone. */
    boolean isScalarOnly() {
      return !isList && type != ArrowType.JSON;
    }
  }

  /**
   * Makes a stream.
   *
   * @param all whose last one is for what fits no other
   * @param lists those whose values are lists
   */
  public ArrowBatchWriter(Columns all, Predicate<Column> lists) {
    for (Column column : all.all()) {
      ArrowType type = typeOf(column);
      boolean list = type != ArrowType.JSON && lists.test(column);
      columns.add(
          new FixedColumn(column, type, list, new ScalarReader(new FormattedDateReader(column))));
    }
    overflow = all.all().getLast();
  }

  /** What a column's type says, without regard to values. */
  private static ArrowType typeOf(Column column) {
    ArrowType said = ArrowType.fromColumn(column);
    return switch (said) {
      case DICTIONARY_TEXT -> ArrowType.TEXT;
      case NULL -> ArrowType.JSON;
      default -> said;
    };
  }

  /**
   * The stream's beginning.
   *
   * @param metadata what it tells beside the columns
   */
  public BytesReference writeSchema(Map<String, String> metadata) {
    SchemaMessageBuilder schema = new SchemaMessageBuilder();
    for (FixedColumn each : columns) {
      Column column = each.column;
      schema.addColumn(column.name(), column.type(), each.type, each.isList, column.index());
    }
    return schema.build(metadata);
  }

  /** Begins a batch. */
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
    int kinds = row.kinds(index);
    if (!each.isScalarOnly() || !ValueKinds.hasAny(kinds, ValueKinds.LIST)) {
      return vector.addIfFits(row.bytes(index), row.start(index), row.end(index), kinds);
    }
    return !ValueKinds.hasAny(kinds, ValueKinds.NESTED_LIST) && offerScalar(vector, row, index);
  }

  /** A list of one value is that value. */
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
   * @param metadata what it tells beside its rows
   * @return its pieces
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

  /** The stream's end. */
  public static BytesReference endStream() {
    return MessageEncoder.END_OF_STREAM;
  }
}
