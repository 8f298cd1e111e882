package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.JsonCursor;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.rest.AnswerForm.Outputs;
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
public final class ArrowBatches implements RowSink {
  private final List<Fixed> columns = new ArrayList<>();
  private final Column rest;
  private final JsonCursor cursor = new JsonCursor();
  private final List<Vector> vectors = new ArrayList<>();
  private int count;

  /** A column, and what its values are. */
  private record Fixed(Column column, ArrowType type, boolean list, Scalars scalars) {
    Vector vector(Outputs outputs) {
      Vector values = Vector.of(type, scalars, outputs, new Dictionary());
      return list ? new ListVector(values, outputs) : values;
    }

    /** Whether it takes values that are no lists alone. */
    boolean takesOne() {
      return !list && type != ArrowType.JSON;
    }
  }

  /**
   * Makes a stream.
   *
   * @param all whose last one is for what fits no other
   * @param lists those whose values are lists
   */
  public ArrowBatches(Columns all, Predicate<Column> lists) {
    for (Column column : all.all()) {
      ArrowType type = type(column);
      boolean list = type != ArrowType.JSON && lists.test(column);
      columns.add(new Fixed(column, type, list, new Scalars(new Instants(column))));
    }
    rest = all.all().getLast();
  }

  /** What a column's type says, without regard to values. */
  private static ArrowType type(Column column) {
    ArrowType said = ArrowType.of(column);
    return switch (said) {
      case WORD -> ArrowType.TEXT;
      case NONE -> ArrowType.JSON;
      default -> said;
    };
  }

  /**
   * The stream's beginning.
   *
   * @param metadata what it tells beside the columns
   */
  public BytesReference schema(Map<String, String> metadata) {
    SchemaMessage schema = new SchemaMessage();
    for (Fixed each : columns) {
      Column column = each.column;
      schema.column(column.name(), column.type(), each.type, each.list, column.index());
    }
    return schema.message(metadata);
  }

  /** Begins a batch. */
  public void begin(Outputs outputs) {
    vectors.clear();
    count = 0;
    for (Fixed each : columns) {
      vectors.add(each.vector(outputs));
    }
  }

  @Override
  public void row(Row row) {
    for (Fixed each : columns) {
      int index = each.column.index();
      if (index == rest.index()) {
        continue;
      }
      if (!row.has(index)) {
        vectors.get(index).addNull();
      } else if (!offer(each, row)) {
        vectors.get(index).addNull();
        row.addRest(each.column.name(), row.data(index), row.from(index), row.to(index));
      }
    }
    Vector last = vectors.get(rest.index());
    if (row.hasRest()) {
      JsonBytes object = row.endRest();
      last.add(object.bytes(), 0, object.length(), Kinds.OBJECT);
    } else {
      last.addNull();
    }
    count++;
  }

  private boolean offer(Fixed each, Row row) {
    int index = each.column.index();
    Vector vector = vectors.get(index);
    int kinds = row.kinds(index);
    if (!each.takesOne() || !Kinds.any(kinds, Kinds.LIST)) {
      return vector.offer(row.data(index), row.from(index), row.to(index), kinds);
    }
    return !Kinds.any(kinds, Kinds.DEEP) && offerOnly(vector, row, index);
  }

  /** A list of one value is that value. */
  private boolean offerOnly(Vector vector, Row row, int index) {
    cursor.over(row.data(index), row.from(index), row.to(index));
    cursor.take('[');
    if (cursor.peek() == ']') {
      return false;
    }
    int kind = cursor.skip();
    int from = cursor.from();
    int to = cursor.to();
    cursor.takeComma();
    return kind != Kinds.NULL
        && cursor.peek() == ']'
        && vector.offer(row.data(index), from, to, kind);
  }

  /**
   * Ends the batch.
   *
   * @param metadata what it tells beside its rows
   * @return its pieces
   */
  public List<BytesReference> end(Map<String, String> metadata) {
    Body body = new Body();
    vectors.forEach(vector -> vector.addTo(body));
    List<BytesReference> pieces = new ArrayList<>(body.pieces().size() + 1);
    pieces.add(Messages.batch(count, body, metadata));
    pieces.addAll(body.pieces());
    vectors.clear();
    return pieces;
  }

  /** The stream's end. */
  public static BytesReference last() {
    return Messages.END;
  }
}
