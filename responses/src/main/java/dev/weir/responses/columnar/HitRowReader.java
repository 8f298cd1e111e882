package dev.weir.responses.columnar;

import dev.weir.core.reduce.columns.ColumnPage;
import dev.weir.core.reduce.hits.ScoreJsonCache;
import dev.weir.model.JsonBuffer;
import dev.weir.model.ZeroCopyHits;
import dev.weir.responses.columnar.table.Column;
import dev.weir.responses.columnar.table.ColumnTypes;
import dev.weir.responses.columnar.table.Columns;
import dev.weir.responses.columnar.table.Row;
import dev.weir.responses.columnar.table.ValueKinds;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.document.DocumentField;
import org.opensearch.index.seqno.SequenceNumbers;
import org.opensearch.search.SearchHit;

/** Converts hits to rows of columns, one by one. Used by one thread. */
final class HitRowReader {
  private static final String MATCHED_QUERIES = "_matched_queries";

  private final MappedFieldsCache mappings;
  private final Columns columns;
  private final Column index;
  private final Column id;
  private final @Nullable Column score;
  private final boolean hasNamedQueryScores;
  private final Map<String, MappedFields> fieldsByIndex = new HashMap<>();
  private final Map<String, HitIndexColumns> columnsByIndex = new HashMap<>();
  private final JsonBuffer json = new JsonBuffer(256);
  private final ScoreJsonCache scoreJson = new ScoreJsonCache();
  private final JsonValueWriter values = new JsonValueWriter(json);
  private final SourceReader sourceReader = new SourceReader();
  private final Row row = new Row();
  private @Nullable HitIndexColumns lastIndex;
  private @Nullable ShardColumnRows[] rowsByShard = {};

  /**
   * Creates a reader and adds the columns that every hit has.
   *
   * @param columns an empty set of columns
   * @param requested the columns that the search requests
   */
  HitRowReader(Columns columns, RequestedColumns requested, MappedFieldsCache mappings) {
    this.columns = columns;
    this.mappings = mappings;
    this.hasNamedQueryScores = requested.hasNamedQueryScores();
    this.index = declareColumn("_index", ColumnTypes.KEYWORD);
    this.id = declareColumn("_id", ColumnTypes.KEYWORD);
    this.score = requested.hasScores() ? declareColumn("_score", ColumnTypes.FLOAT) : null;
    if (requested.hasVersions()) {
      declareColumn("_version", ColumnTypes.LONG);
    }
    if (requested.hasSequenceNumbers()) {
      declareColumn("_seq_no", ColumnTypes.LONG);
      declareColumn("_primary_term", ColumnTypes.LONG);
    }
  }

  private Column declareColumn(String name, String type) {
    Column column = columns.getOrCreate(name);
    column.declare(type, "");
    return column;
  }

  MappedFields fieldsOf(String name) {
    return fieldsByIndex.computeIfAbsent(name, mappings::fieldsOf);
  }

  /** Reads a hit. The row is reused by the next call. */
  Row readRow(SearchHit hit) throws IOException {
    row.clear();
    json.clear();
    addIndexAndId(hit);
    addScoreAndVersion(hit);
    addFields(hit.getMetaFields());
    addFields(hit.getDocumentFields());
    if (hit.getMatchedQueries().length > 0) {
      addMatchedQueries(hit);
    }
    if (hit.hasSource()) {
      sourceReader.read(hit.getSourceRef(), index(hit.getIndex()).root(), row);
    }
    return row;
  }

  /** Reads a hit in place, without creating an object. The row is reused by the next call. */
  Row readRow(ZeroCopyHits hits, int i) throws IOException {
    row.clear();
    json.clear();
    HitIndexColumns of = index(hits.index(i));
    row.add(index, of.quotedName(), 0, ValueKinds.STRING);
    byte[] bytes = hits.bytes(i);
    int idLength = hits.idLength(i);
    if (idLength > 0) {
      json.writeQuoted(bytes, hits.idOffset(i), idLength);
      row.add(id, json, 0, ValueKinds.STRING);
    }
    float scored = hits.score(i);
    if (score != null && !Float.isNaN(scored)) {
      byte[] text = scoreJson.jsonOf(scored);
      row.add(score, text, 0, text.length, ValueKinds.DECIMAL);
    }
    int sourceLength = hits.sourceLength(i);
    if (sourceLength > 0) {
      sourceReader.read(bytes, hits.sourceOffset(i), sourceLength, of.root(), row);
    }
    return row;
  }

  /** Reads a row of columns of doc values. The row is reused by the next call. */
  Row readRow(ColumnPage page, int i) throws IOException {
    row.clear();
    json.clear();
    row.add(index, index(page.index(i)).quotedName(), 0, ValueKinds.STRING);
    ShardColumnRows shard = shardRows(page, page.shard(i));
    shard.addId(row, id, page.place(i));
    float scored = page.score(i);
    if (score != null && !Float.isNaN(scored)) {
      addValue(score, scored);
    }
    shard.addFields(row, page.place(i), json, values);
    return row;
  }

  private ShardColumnRows shardRows(ColumnPage page, int shard) {
    if (rowsByShard.length == 0) {
      rowsByShard = new ShardColumnRows[page.shardCount()];
    }
    ShardColumnRows known = rowsByShard[shard];
    if (known == null) {
      known =
          new ShardColumnRows(
              Objects.requireNonNull(page.columns(shard)),
              name -> Objects.requireNonNull(columnOf(name))); // only exports close the columns
      rowsByShard[shard] = known;
    }
    return known;
  }

  /** The previous hit mostly has the same index. */
  private HitIndexColumns index(String name) {
    HitIndexColumns last = lastIndex;
    return last != null && name.equals(last.name()) ? last : loadColumns(name);
  }

  private HitIndexColumns loadColumns(String name) {
    HitIndexColumns found =
        columnsByIndex.computeIfAbsent(name, n -> HitIndexColumns.create(n, fieldsOf(n), columns));
    lastIndex = found;
    return found;
  }

  private void addIndexAndId(SearchHit hit) throws IOException {
    addValue(index, hit.getIndex());
    if (hit.getId() != null) {
      addValue(id, hit.getId());
    }
    if (score != null && !Float.isNaN(hit.getScore())) {
      addValue(score, hit.getScore());
    }
  }

  private void addScoreAndVersion(SearchHit hit) throws IOException {
    if (hit.getVersion() != -1) {
      addValue("_version", columns.findOrCreate("_version"), hit.getVersion());
    }
    if (hit.getSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO) {
      addValue("_seq_no", columns.findOrCreate("_seq_no"), hit.getSeqNo());
      addValue("_primary_term", columns.findOrCreate("_primary_term"), hit.getPrimaryTerm());
    }
  }

  private void addMatchedQueries(SearchHit hit) throws IOException {
    Column matched = columns.findOrCreate(MATCHED_QUERIES);
    if (matched != null) {
      matched.declare(hasNamedQueryScores ? ColumnTypes.OBJECT : ColumnTypes.KEYWORD, "");
    }
    addValue(
        MATCHED_QUERIES,
        matched,
        hasNamedQueryScores ? hit.getMatchedQueriesAndScores() : List.of(hit.getMatchedQueries()));
  }

  private void addFields(Map<String, DocumentField> fields) throws IOException {
    if (fields.isEmpty()) {
      return;
    }
    for (DocumentField field : fields.values()) {
      Collection<?> found = field.getValues();
      if (!found.isEmpty()) {
        int since = json.length();
        int kinds = values.writeField(found);
        if (kinds != ValueKinds.NULL) {
          putValue(field.getName(), columnOf(field.getName()), since, kinds);
        }
      }
    }
  }

  private @Nullable Column columnOf(String field) {
    Column known = columns.get(field);
    if (known == null) {
      known = columns.findOrCreate(field);
      if (known != null) {
        for (MappedFields mapped : fieldsByIndex.values()) {
          SourceNode.declareColumn(known, field, mapped);
        }
      }
    }
    return known;
  }

  private void addValue(Column column, Object value) throws IOException {
    addValue(column.name(), column, value);
  }

  private void addValue(String name, @Nullable Column column, Object value) throws IOException {
    int since = json.length();
    int kinds = values.write(value);
    putValue(name, column, since, kinds);
  }

  private void putValue(String name, @Nullable Column column, int since, int kinds) {
    if (column == null) {
      row.addOverflow(name, json.bytes(), since, json.length());
    } else {
      row.add(column, json, since, kinds);
    }
  }
}
