package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.RowSink;
import dev.weir.responses.columnar.table.Rows;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A page of hits as rows, in the order of the hits. Used by one thread. */
final class HitRows implements Rows {
  private final FoundHits hits;
  private final IndexMappings mappings;
  private final Columns columns;
  private final HitReader reader;

  /**
   * Makes rows of hits.
   *
   * @param asked what the search says of the columns
   * @param searched the indices whose mappings say what columns are, besides those of the hits
   */
  HitRows(FoundHits hits, IndexMappings mappings, AskedColumns asked, List<String> searched) {
    this.hits = hits;
    this.mappings = mappings;
    this.columns = new Columns(asked::isReformatted);
    this.reader = new HitReader(columns, asked, mappings);
    declareNamed(asked.names(), searched);
  }

  /** Those that the search names are there even if no hit has a value; but for objects. */
  private void declareNamed(List<String> names, List<String> searched) {
    Set<MappedFields> all = new LinkedHashSet<>();
    String before = "";
    for (int i = 0; i < hits.count(); i++) {
      String index = hits.index(i);
      if (!index.equals(before)) {
        all.add(reader.mapped(index));
        before = index;
      }
    }
    for (String searchedIndex : searched) {
      all.add(mappings.of(searchedIndex));
    }
    for (String name : names) {
      if (all.stream().noneMatch(mapped -> mapped.isObject(name)) && columns.get(name) == null) {
        Column column = columns.of(name);
        all.forEach(mapped -> SourceNode.declare(column, name, mapped));
      }
    }
  }

  @Override
  public Columns columns() {
    return columns;
  }

  @Override
  public void each(RowSink sink) throws IOException {
    for (int i = 0; i < hits.count(); i++) {
      sink.row(hits.read(i, reader));
    }
  }
}
