package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.Rows;
import dev.weir.rest.AnswerForm.Outputs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;

/** Rows as one stream: the schema, dictionaries, one batch of all rows. Used by one thread. */
public final class ArrowStream {
  private final Rows rows;
  private final Outputs outputs;
  private final List<Gathered> columns = new ArrayList<>();

  private ArrowStream(Rows rows, Outputs outputs) {
    this.rows = rows;
    this.outputs = outputs;
  }

  /**
   * Writes rows, which are read once where the values of each column are what its mapping and its
   * first value say. Else they are read again for those columns where that is not so.
   *
   * @param metadata what the schema tells beside the columns
   * @return the pieces of the stream
   */
  public static List<BytesReference> write(Rows rows, Map<String, String> metadata, Outputs outputs)
      throws IOException {
    return write(rows, metadata, outputs, Gathered::fits);
  }

  /**
   * Writes rows.
   *
   * @param fits which columns are of the type that they were taken for
   */
  static List<BytesReference> write(
      Rows rows, Map<String, String> metadata, Outputs outputs, Predicate<Gathered> fits)
      throws IOException {
    ArrowStream stream = new ArrowStream(rows, outputs);
    int count = stream.gather();
    stream.gatherAgain(fits);
    return stream.pieces(metadata, count);
  }

  /** Gathers the values of all columns, as they come up; how many rows there are. */
  private int gather() throws IOException {
    Gathering gathering = new Gathering();
    rows.each(gathering);
    for (Column column : rows.columns().all()) {
      Gathered gathered = gathering.of(column.index());
      gathered.fill(gathering.count);
      columns.add(gathered);
    }
    return gathering.count;
  }

  /** Takes the values that are there. */
  private final class Gathering implements RowSink {
    private @Nullable Gathered[] begun = new Gathered[16];
    private int count;

    @Override
    public void row(Row row) {
      for (int i = 0; i < row.count(); i++) {
        of(row.touched(i)).take(row, count);
      }
      count++;
    }

    /** One that begins with its first value, because that says more of it than there was before. */
    private Gathered of(int index) {
      if (index >= begun.length) {
        begun = Arrays.copyOf(begun, Math.max(index + 1, begun.length * 2));
      }
      Gathered known = begun[index];
      if (known == null) {
        Column column = rows.columns().all().get(index);
        known = new Gathered(column, Fitting.kept(column), outputs);
        begun[index] = known;
      }
      return known;
    }
  }

  /** Gathers the values of those columns again that turned out to be something else. */
  private void gatherAgain(Predicate<Gathered> fits) throws IOException {
    BitSet misfits = new BitSet();
    BitSet again = new BitSet();
    for (Gathered each : columns) {
      misfits.set(each.column().index(), !fits.test(each));
      again.set(each.column().index(), !fits.test(each) || !each.isWhole());
    }
    if (again.isEmpty()) {
      return;
    }
    Fitting fitting = misfits.isEmpty() ? null : Fitting.of(rows, misfits);
    again.stream()
        .forEach(index -> {
          Gathered before = columns.get(index);
          ArrowType type =
              fitting == null || !misfits.get(index)
                  ? before.type()
                  : fitting.type(before.column());
          columns.set(index, new Gathered(before.column(), type, outputs));
        });
    int[] all = again.stream().toArray();
    int[] count = {0};
    rows.each(row -> {
      for (int index : all) {
        if (row.has(index)) {
          columns.get(index).take(row, count[0]);
        }
      }
      count[0]++;
    });
    for (int index : all) {
      columns.get(index).fill(count[0]);
    }
  }

  private List<BytesReference> pieces(Map<String, String> metadata, int count) {
    SchemaMessage schema = new SchemaMessage();
    for (Gathered each : columns) {
      Column column = each.column();
      schema.column(column.name(), column.type(), each.type(), each.list(), column.index());
    }
    List<BytesReference> pieces = new ArrayList<>();
    pieces.add(schema.message(metadata));
    Body batch = new Body();
    for (Gathered each : columns) {
      if (each.type() == ArrowType.WORD) {
        Body words = each.words().body(outputs);
        pieces.add(Messages.dictionary(each.column().index(), each.words().size(), words));
        pieces.addAll(words.pieces());
      }
      each.addTo(batch);
    }
    pieces.add(Messages.batch(count, batch));
    pieces.addAll(batch.pieces());
    pieces.add(Messages.END);
    return pieces;
  }
}
