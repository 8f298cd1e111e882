package dev.weir.responses.columnar;

import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.JsonBytes;
import dev.weir.responses.columnar.table.Kinds;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.Types;
import dev.weir.model.HitsInPlace;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.document.DocumentField;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/** Reads hits as rows of columns, one after the other. Used by one thread. */
final class HitReader {
  private final IndexMappings mappings;
  private final Columns columns;
  private final Column index;
  private final Column id;
  private final @Nullable Column score;
  private final Map<String, MappedFields> mappedByIndex = new HashMap<>();
  private final Map<String, HitsIndex> indices = new HashMap<>();
  private final JsonBytes json = new JsonBytes(256);
  private final PlaceText text = new PlaceText();
  private final JsonValues values = new JsonValues(json);
  private final SourceReader sources = new SourceReader();
  private final Row row = new Row();
  private @Nullable HitsIndex lastIndex;

  /**
   * Makes a reader, with the columns that every hit has.
   *
   * @param columns none so far
   * @param asked what the search says of the columns
   */
  HitReader(Columns columns, AskedColumns asked, IndexMappings mappings) {
    this.columns = columns;
    this.mappings = mappings;
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
  }

  private Column declared(String name, String type) {
    Column column = columns.of(name);
    column.declare(type, "");
    return column;
  }

  /** What the mapping of an index says. */
  MappedFields mapped(String name) {
    return mappedByIndex.computeIfAbsent(name, mappings::of);
  }

  /** A hit's row, which is another one's at the next call. */
  Row read(SearchHit hit) throws IOException {
    row.clear();
    json.clear();
    addPlace(hit);
    addNumbers(hit);
    addFields(hit.getMetaFields());
    addFields(hit.getDocumentFields());
    if (hit.getMatchedQueries().length > 0) {
      Column matched = columns.find("_matched_queries");
      if (matched != null) {
        matched.declare(Types.KEYWORD, "");
      }
      add("_matched_queries", matched, List.of(hit.getMatchedQueries()));
    }
    if (hit.hasSource()) {
      sources.read(hit.getSourceRef(), index(hit.getIndex()).root(), row);
    }
    return row;
  }

  /** The row of a hit that is no object. */
  Row read(HitsInPlace hits, int i) throws IOException {
    row.clear();
    json.clear();
    HitsIndex of = index(hits.index(i));
    row.add(index, of.json(), 0, Kinds.STRING);
    byte[] bytes = hits.bytes(i);
    int idLength = hits.idLength(i);
    if (idLength > 0) {
      json.quote(bytes, hits.idFrom(i), idLength);
      row.add(id, json, 0, Kinds.STRING);
    }
    float scored = hits.score(i);
    if (score != null && !Float.isNaN(scored)) {
      row.add(score, text.score(scored), 0, Kinds.DECIMAL);
    }
    int sourceLength = hits.sourceLength(i);
    if (sourceLength > 0) {
      sources.read(bytes, hits.sourceFrom(i), sourceLength, of.root(), row);
    }
    return row;
  }

  /** Mostly that of the hit before. */
  private HitsIndex index(String name) {
    HitsIndex last = lastIndex;
    return last != null && name.equals(last.name()) ? last : otherIndex(name);
  }

  private HitsIndex otherIndex(String name) {
    HitsIndex found = indices.computeIfAbsent(name, n -> HitsIndex.of(n, mapped(n), columns));
    lastIndex = found;
    return found;
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
      add("_version", columns.find("_version"), hit.getVersion());
    }
    if (hit.getSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO) {
      add("_seq_no", columns.find("_seq_no"), hit.getSeqNo());
      add("_primary_term", columns.find("_primary_term"), hit.getPrimaryTerm());
    }
  }

  private void addFields(Map<String, DocumentField> fields) throws IOException {
    if (fields.isEmpty()) {
      return;
    }
    for (DocumentField field : fields.values()) {
      Collection<?> found = field.getValues();
      if (!found.isEmpty()) {
        int since = json.length();
        int kinds = values.putField(found);
        if (kinds != Kinds.NULL) {
          put(field.getName(), column(field.getName()), since, kinds);
        }
      }
    }
  }

  private @Nullable Column column(String field) {
    Column known = columns.get(field);
    if (known == null) {
      known = columns.find(field);
      if (known != null) {
        for (MappedFields mapped : mappedByIndex.values()) {
          SourceNode.declare(known, field, mapped);
        }
      }
    }
    return known;
  }

  private void add(Column column, Object value) throws IOException {
    add(column.name(), column, value);
  }

  private void add(String name, @Nullable Column column, Object value) throws IOException {
    int since = json.length();
    int kinds = values.put(value);
    put(name, column, since, kinds);
  }

  private void put(String name, @Nullable Column column, int since, int kinds) {
    if (column == null) {
      row.addRest(name, json.bytes(), since, json.length());
    } else {
      row.add(column, json, since, kinds);
    }
  }
}
