package dev.weir.gateway.columnar;

import dev.weir.gateway.columnar.table.Column;
import dev.weir.gateway.columnar.table.Columns;
import dev.weir.gateway.columnar.table.JsonBytes;
import dev.weir.gateway.columnar.table.Kinds;
import dev.weir.gateway.columnar.table.Row;
import dev.weir.gateway.columnar.table.RowSink;
import dev.weir.gateway.columnar.table.Rows;
import dev.weir.gateway.columnar.table.Types;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.document.DocumentField;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/** A page of hits as rows, in the order of the hits. Used by one thread. */
final class HitRows implements Rows {
  private final SearchHit[] hits;
  private final IndexMappings mappings;
  private final Columns columns;
  private final Column index;
  private final Column id;
  private final @Nullable Column score;
  private final Map<String, MappedFields> mappedByIndex = new HashMap<>();
  private final Map<String, SourceNode> rootsByIndex = new HashMap<>();
  private final JsonBytes json = new JsonBytes(256);
  private final JsonValues values = new JsonValues(json);
  private final SourceReader sources = new SourceReader();
  private final Row row = new Row();

  /**
   * Makes rows of hits.
   *
   * @param asked what the search says of the columns
   * @param searched the indices whose mappings say what columns are, besides those of the hits
   */
  HitRows(SearchHit[] hits, IndexMappings mappings, AskedColumns asked, List<String> searched) {
    this.hits = hits;
    this.mappings = mappings;
    this.columns = new Columns(asked::isReformatted);
    this.index = declared("_index", Types.KEYWORD);
    this.id = declared("_id", Types.KEYWORD);
    this.score = asked.scored() ? declared("_score", Types.FLOAT) : null;
    if (asked.versioned()) {
      declared("_version", Types.LONG);
    }
    if (asked.numbered()) {
      declared("_seq_no", Types.LONG);
      declared("_primary_term", Types.LONG);
    }
    declareNamed(asked.names(), searched);
  }

  private Column declared(String name, String type) {
    Column column = columns.of(name);
    column.declare(type, "");
    return column;
  }

  /** Those that the search names are there even if no hit has a value; but for objects. */
  private void declareNamed(List<String> names, List<String> searched) {
    Set<MappedFields> all = new LinkedHashSet<>();
    for (SearchHit hit : hits) {
      all.add(mapped(hit.getIndex()));
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

  private MappedFields mapped(String name) {
    return mappedByIndex.computeIfAbsent(name, mappings::of);
  }

  @Override
  public Columns columns() {
    return columns;
  }

  @Override
  public void each(RowSink sink) throws IOException {
    for (SearchHit hit : hits) {
      row.clear();
      json.clear();
      addPlace(hit);
      addNumbers(hit);
      addFields(hit.getMetaFields());
      addFields(hit.getDocumentFields());
      if (hit.getMatchedQueries().length > 0) {
        Column matched = columns.of("_matched_queries");
        matched.declare(Types.KEYWORD, "");
        add(matched, List.of(hit.getMatchedQueries()));
      }
      if (hit.hasSource()) {
        sources.read(source(hit), root(hit.getIndex()), row);
      }
      sink.row(row);
    }
  }

  private static BytesReference source(SearchHit hit) {
    return hit.getSourceRef();
  }

  private SourceNode root(String name) {
    return rootsByIndex.computeIfAbsent(name, n -> new SourceNode(mapped(n), columns));
  }

  private void addPlace(SearchHit hit) throws IOException {
    add(index, hit.getIndex());
    if (hit.getId() != null) {
      add(id, hit.getId());
    }
    if (score != null && !Float.isNaN(hit.getScore())) {
      add(score, hit.getScore());
    }
  }

  private void addNumbers(SearchHit hit) throws IOException {
    if (hit.getVersion() != -1) {
      add(columns.of("_version"), hit.getVersion());
    }
    if (hit.getSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO) {
      add(columns.of("_seq_no"), hit.getSeqNo());
      add(columns.of("_primary_term"), hit.getPrimaryTerm());
    }
  }

  private void addFields(Map<String, DocumentField> fields) throws IOException {
    for (DocumentField field : fields.values()) {
      Collection<?> found = field.getValues();
      if (!found.isEmpty()) {
        int since = json.length();
        int kinds = values.putField(found);
        if (kinds != Kinds.NULL) {
          row.add(column(field.getName()), json, since, kinds);
        }
      }
    }
  }

  private Column column(String field) {
    Column known = columns.get(field);
    if (known == null) {
      known = columns.of(field);
      for (MappedFields mapped : mappedByIndex.values()) {
        SourceNode.declare(known, field, mapped);
      }
    }
    return known;
  }

  private void add(Column column, Object value) throws IOException {
    int since = json.length();
    int kinds = values.put(value);
    row.add(column, json, since, kinds);
  }
}
