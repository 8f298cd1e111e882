package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.RowSource;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A page of hits as rows, in the order of the hits. Used by one thread. */
final class HitRows implements RowSource {
  private final ResponseHits hits;
  private final MappedFieldsCache mappings;
  private final Columns columns;
  private final HitRowReader reader;

  /**
   * Makes rows of hits.
   *
   * @param asked what the search says of the columns
   * @param searched the indices whose mappings say what columns are, besides those of the hits
   */
  HitRows(
      ResponseHits hits,
      MappedFieldsCache mappings,
      RequestedColumns asked,
      List<String> searched) {
    this.hits = hits;
    this.mappings = mappings;
    this.columns = new Columns(asked::isReformatted);
    this.reader = new HitRowReader(columns, asked, mappings);
    declareRequested(asked.fieldNames(), searched);
  }

  /** Those that the search names are there even if no hit has a value; but for objects. */
  private void declareRequested(List<String> names, List<String> searched) {
    Set<MappedFields> all = new LinkedHashSet<>();
    String before = "";
    for (int i = 0; i < hits.count(); i++) {
      String index = hits.index(i);
      if (!index.equals(before)) {
        all.add(reader.fieldsOf(index));
        before = index;
      }
    }
    for (String searchedIndex : searched) {
      all.add(mappings.fieldsOf(searchedIndex));
    }
    for (String name : names) {
      if (all.stream().noneMatch(mapped -> mapped.hasSubfields(name))
          && columns.get(name) == null) {
        Column column = columns.getOrCreate(name);
        all.forEach(mapped -> SourceNode.declareColumn(column, name, mapped));
      }
    }
  }

  @Override
  public Columns columns() {
    return columns;
  }

  @Override
  public void forEachRow(RowSink sink) throws IOException {
    for (int i = 0; i < hits.count(); i++) {
      sink.accept(hits.readRow(i, reader));
    }
  }
}
