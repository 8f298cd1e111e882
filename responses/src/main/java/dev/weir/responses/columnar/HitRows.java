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
   * Creates rows of hits.
   *
   * @param requested the columns that the search requests
   * @param searched the indices with mappings for column types, in addition to the hits' own
   */
  HitRows(
      ResponseHits hits,
      MappedFieldsCache mappings,
      RequestedColumns requested,
      List<String> searched) {
    this.hits = hits;
    this.mappings = mappings;
    this.columns = new Columns(requested::isReformatted);
    this.reader = new HitRowReader(columns, requested, mappings);
    declareRequested(requested.fieldNames(), searched);
  }

  /**
   * Declares the columns that the search names, even if no hit has a value; objects are excluded.
   */
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
