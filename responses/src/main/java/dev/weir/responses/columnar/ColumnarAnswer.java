package dev.weir.responses.columnar;

import dev.weir.responses.columnar.arrow.ArrowStream;
import dev.weir.responses.columnar.table.Rows;
import dev.weir.rest.AnswerForm;
import dev.weir.model.SampledAnswer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;
import org.opensearch.search.aggregations.Aggregations;
import org.opensearch.search.aggregations.InternalAggregations;
import org.opensearch.search.builder.SearchSourceBuilder;

/** The answer to one search by columns. Used by one thread. */
final class ColumnarAnswer implements AnswerForm {
  /** The parameter that names the one table that is wanted. */
  static final String TABLE = "columnar_table";

  /** The table of hits. */
  static final String HITS = "hits";

  /** What tells what plain answers tell beside hits and aggregations. */
  private static final String ENVELOPE_HEADER = "X-Weir-Envelope";

  /** The same in the schema of Arrow's stream. */
  private static final String ENVELOPE_METADATA = "weir.envelope";

  private static final int PAGE = 16 << 10;

  private final Format format;
  private final IndexMappings mappings;
  private final SearchedIndices searched;
  private final @Nullable String table;
  private AskedColumns asked = AskedColumns.PLAIN;
  private boolean hits = true;
  private SearchRequest search = new SearchRequest();

  private ColumnarAnswer(
      Format format, IndexMappings mappings, SearchedIndices searched, @Nullable String table) {
    this.format = format;
    this.mappings = mappings;
    this.searched = searched;
    this.table = table;
  }

  /**
   * Reads the parameters of a request that asks for columns.
   *
   * @throws IllegalArgumentException where they ask for something else as well
   */
  static ColumnarAnswer of(
      Format format, RestRequest request, IndexMappings mappings, SearchedIndices searched) {
    if (request.param("filter_path") != null) {
      throw new IllegalArgumentException(
          "got [filter_path] with a columnar answer (expected: none; name columns in [_source] or"
              + " [fields])");
    }
    String other = request.param("format");
    if (other != null && !(other.equals("json") && format == Format.JSON)) {
      throw new IllegalArgumentException(
          "got [" + other + "] for [format] with a columnar answer (expected: none)");
    }
    String table = request.param(TABLE);
    if (table != null && format == Format.JSON) {
      throw new IllegalArgumentException(
          "got [" + TABLE + "] with JSON columns (expected: none; they have every table)");
    }
    return new ColumnarAnswer(format, mappings, searched, table);
  }

  @Override
  public String name() {
    return Format.PARAMETER;
  }

  @Override
  public void prepare(SearchRequest asking) {
    search = asking;
    SearchSourceBuilder source = search.source();
    if (source == null) {
      return;
    }
    refuse(search.scroll() != null, "scroll", "search_after, with a point in time");
    refuse(source.highlighter() != null, "highlight", "none");
    refuse(Boolean.TRUE.equals(source.explain()), "explain", "none");
    refuse(
        source.collapse() != null && !source.collapse().getInnerHits().isEmpty(),
        "collapse with inner_hits",
        "collapse alone");
    refuse(InnerHits.in(source), "inner_hits", "none");
    if (format != Format.JSON) {
      refuse(source.suggest() != null, "suggest", "none, or JSON columns");
      refuse(source.profile(), "profile", "none, or JSON columns");
    }
    hits = source.size() != 0;
    asked = AskedColumns.of(source);
    if (source.fetchSource() == null
        && source.storedFields() == null
        && AskedColumns.namesFields(source)) {
      source.fetchSource(false);
    }
  }

  private static void refuse(boolean is, String what, String expected) {
    if (is) {
      throw new IllegalArgumentException(
          "got [" + what + "] with a columnar answer (expected: " + expected + ")");
    }
  }

  @Override
  public RestResponse write(SearchResponse answer, RestRequest request, Outputs outputs)
      throws IOException {
    FoundHits found = FoundHits.of(answer);
    Envelope envelope = new Envelope(answer, found, request);
    return format == Format.JSON
        ? json(answer, found, envelope, outputs)
        : one(answer, found, envelope, outputs);
  }

  private RestResponse json(
      SearchResponse answer, FoundHits found, Envelope envelope, Outputs outputs)
      throws IOException {
    List<BytesReference> pieces = new ArrayList<>();
    pieces.add(envelope.open(outputs.open(PAGE)));
    if (hits) {
      pieces.add(new BytesArray(","));
      Rows rows = hitRows(found);
      JsonColumns columns = new JsonColumns(rows.columns(), outputs);
      rows.each(columns);
      columns.addTo(pieces);
    }
    AskedTables tables = tables(answer);
    Aggregations aggregations = answer.getAggregations();
    if (aggregations != null || !tables.paths().isEmpty()) {
      new JsonTables(tables, outputs)
          .addTo(pieces, aggregations == null ? InternalAggregations.EMPTY : aggregations);
    }
    pieces.add(new BytesArray("}"));
    BytesReference[] all = pieces.toArray(BytesReference[]::new);
    return new BytesRestResponse(
        answer.status(), format.contentType(), CompositeBytesReference.of(all));
  }

  private Rows hitRows(FoundHits found) {
    boolean untold = found.count() == 0 && !asked.names().isEmpty();
    return new HitRows(found, mappings, asked, untold ? searched.of(search) : List.of());
  }

  /** Writes one table, in a format that has no place for more. */
  private RestResponse one(
      SearchResponse answer, FoundHits found, Envelope envelope, Outputs outputs)
      throws IOException {
    Rows rows = chosen(answer, found);
    String told = envelope.line();
    BytesReference content = format == Format.CSV ? csv(rows, outputs) : arrow(rows, told, outputs);
    BytesRestResponse response =
        new BytesRestResponse(answer.status(), format.contentType(), content);
    response.addHeader(ENVELOPE_HEADER, told);
    return response;
  }

  private static BytesReference csv(Rows rows, Outputs outputs) throws IOException {
    return CsvRows.write(rows, outputs.open(PAGE));
  }

  private static BytesReference arrow(Rows rows, String envelope, Outputs outputs)
      throws IOException {
    List<BytesReference> pieces =
        ArrowStream.write(rows, Map.of(ENVELOPE_METADATA, envelope), outputs);
    return CompositeBytesReference.of(pieces.toArray(BytesReference[]::new));
  }

  private Rows chosen(SearchResponse answer, FoundHits found) throws IOException {
    if (HITS.equals(table) || (table == null && hits)) {
      return hitRows(found);
    }
    return AggregationRows.chosen(tables(answer), answer.getAggregations(), table);
  }

  /** The tables of the search's aggregations, whatever was found. */
  private AskedTables tables(SearchResponse answer) {
    SearchSourceBuilder source = search.source();
    boolean sampled = answer instanceof SampledAnswer one && one.sampling() != null;
    return source == null
        ? AskedTables.NONE
        : AskedTables.of(source.aggregations(), new FieldTypes(this::searchedMappings), sampled);
  }

  private List<MappedFields> searchedMappings() {
    return searched.of(search).stream().map(mappings::of).distinct().toList();
  }
}
