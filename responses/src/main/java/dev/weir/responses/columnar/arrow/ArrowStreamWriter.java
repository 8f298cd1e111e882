package dev.weir.responses.columnar.arrow;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Writes rows as one Arrow stream: the schema, dictionaries, and one batch of all rows. Used by one
 * thread.
 */
public final class ArrowStreamWriter {
  private final RowSource rows;
  private final OutputFactory outputs;
  private final List<ColumnCollector> columns = new ArrayList<>();
  private final MemberBudget budget = new MemberBudget();

  private ArrowStreamWriter(RowSource rows, OutputFactory outputs) {
    this.rows = rows;
    this.outputs = outputs;
  }

  /**
   * Writes rows. It reads them once if the values of each column fit the type that the mapping and
   * the first value suggest; otherwise it reads them again for the columns that do not fit.
   *
   * @param metadata added to the schema
   * @return the bytes of the stream
   */
  public static List<BytesReference> write(
      RowSource rows, Map<String, String> metadata, OutputFactory outputs) throws IOException {
    return write(rows, metadata, outputs, ColumnCollector::isFitting);
  }

  /**
   * Writes rows.
   *
   * @param fits returns true for columns with values of the suggested type
   */
  static List<BytesReference> write(
      RowSource rows,
      Map<String, String> metadata,
      OutputFactory outputs,
      Predicate<ColumnCollector> fits)
      throws IOException {
    ArrowStreamWriter stream = new ArrowStreamWriter(rows, outputs);
    int count = stream.gatherColumns();
    stream.gatherMisfits(fits);
    return stream.encode(metadata, count);
  }

  /** Collects the values of all columns; returns the number of rows. */
  private int gatherColumns() throws IOException {
    GatheringRowSink gathering = new GatheringRowSink();
    rows.forEachRow(gathering);
    for (Column column : rows.columns().all()) {
      ColumnCollector gathered = gathering.collectorOf(column.index());
      gathered.addNulls(gathering.count);
      columns.add(gathered);
    }
    return gathering.count;
  }

  private final class GatheringRowSink implements RowSink {
    private @Nullable ColumnCollector[] collectors = new ColumnCollector[16];
    private int count;

    @Override
    public void accept(Row row) {
      for (int i = 0; i < row.count(); i++) {
        collectorOf(row.presentColumn(i)).add(row, count);
      }
      count++;
    }

    /**
     * A column's collector starts with its first value, because that value helps to choose the
     * type.
     */
    private ColumnCollector collectorOf(int index) {
      if (index >= collectors.length) {
        collectors = Arrays.copyOf(collectors, Math.max(index + 1, collectors.length * 2));
      }
      ColumnCollector known = collectors[index];
      if (known == null) {
        Column column = rows.columns().all().get(index);
        known =
            new ColumnCollector(
                column, ColumnTypeDetector.declaredTypeIfKept(column), outputs, budget);
        collectors[index] = known;
      }
      return known;
    }
  }

  /** Collects the values of columns with another type than suggested a second time. */
  private void gatherMisfits(Predicate<ColumnCollector> fits) throws IOException {
    BitSet misfits = new BitSet();
    BitSet again = new BitSet();
    for (ColumnCollector each : columns) {
      int index = each.column().index();
      misfits.set(index, !fits.test(each) && !hasObjects(each));
      again.set(index, !fits.test(each) || !each.isComplete());
    }
    if (again.isEmpty()) {
      return;
    }
    ColumnTypeDetector fitting =
        misfits.isEmpty() ? null : ColumnTypeDetector.detect(rows, misfits);
    again.stream()
        .forEach(index -> {
          ColumnCollector before = columns.get(index);
          ValueLayout layout =
              fitting == null || !misfits.get(index)
                  ? fittingLayout(before)
                  : fitting.layoutOf(before.column());
          columns.set(index, new ColumnCollector(before.column(), layout, outputs, budget));
        });
    int[] all = again.stream().toArray();
    int[] count = {0};
    rows.forEachRow(row -> {
      for (int index : all) {
        if (row.hasValue(index)) {
          columns.get(index).add(row, count[0]);
        }
      }
      count[0]++;
    });
    for (int index : all) {
      columns.get(index).addNulls(count[0]);
    }
  }

  /** Returns true if the layout of a column follows from the members of its objects. */
  private static boolean hasObjects(ColumnCollector column) {
    return ColumnTypeDetector.declaredTypeIfKept(column.column()) == ArrowType.STRUCT;
  }

  private static ValueLayout fittingLayout(ColumnCollector column) {
    return hasObjects(column) ? column.objectLayout() : column.layout();
  }

  private List<BytesReference> encode(Map<String, String> metadata, int count) {
    SchemaMessageBuilder schema = new SchemaMessageBuilder();
    for (ColumnCollector each : columns) {
      Column column = each.column();
      schema.addColumn(column.name(), column.type(), each.layout(), column.index());
    }
    List<BytesReference> pieces = new ArrayList<>();
    pieces.add(schema.build(metadata));
    RecordBatchBody batch = new RecordBatchBody();
    for (ColumnCollector each : columns) {
      if (each.type() == ArrowType.DICTIONARY_TEXT) {
        RecordBatchBody words = each.dictionary().toBody(outputs);
        pieces.add(
            MessageEncoder.encodeDictionary(
                each.column().index(), each.dictionary().size(), words));
        pieces.addAll(words.pieces());
      }
      each.appendTo(batch);
    }
    pieces.add(MessageEncoder.encodeBatch(count, batch));
    pieces.addAll(batch.pieces());
    pieces.add(MessageEncoder.END_OF_STREAM);
    return pieces;
  }
}
