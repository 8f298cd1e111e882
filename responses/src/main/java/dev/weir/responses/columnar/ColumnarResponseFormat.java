package dev.weir.responses.columnar;

import dev.weir.model.SampledResponse;
import dev.weir.responses.columnar.arrow.ArrowStreamWriter;
import dev.weir.responses.columnar.table.NoRows;
import dev.weir.responses.columnar.table.RowSource;
import dev.weir.rest.SearchResponseFormat;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

/** The columnar response to one search. Used by one thread. */
final class ColumnarResponseFormat implements SearchResponseFormat {
  /** The request parameter that selects one table. */
  static final String TABLE_PARAMETER = "columnar_table";

  /** The name of the table of hits. */
  static final String HITS_TABLE = "hits";

  /** The response header with the members other than hits and aggregations. */
  static final String ENVELOPE_HEADER = "X-Weir-Response-Metadata";

  /** The key of the same members in the metadata of an Arrow schema. */
  private static final String ENVELOPE_METADATA = "weir.response_metadata";

  /** The response header with the id of a scroll. */
  private static final String SCROLL_HEADER = "X-Weir-Scroll-Id";

  /** The key of the same id in the metadata of an Arrow schema. */
  private static final String SCROLL_METADATA = "weir.scroll_id";

  /** The key of a table's name in the metadata of an Arrow schema. */
  private static final String TABLE_METADATA = "weir.table";

  private static final int PAGE_BYTES = 16 << 10;

  private final ColumnarFormat format;
  private final MappedFieldsCache mappings;
  private final SearchedIndexResolver searchedIndices;
  private final @Nullable String table;
  private RequestedColumns requestedColumns = RequestedColumns.NONE;
  private boolean wantsHits = true;
  private boolean isFurtherPage;
  private boolean showsNamedQueryScores;
  private SearchRequest search = new SearchRequest();

  private ColumnarResponseFormat(
      ColumnarFormat format,
      MappedFieldsCache mappings,
      SearchedIndexResolver searched,
      @Nullable String table) {
    this.format = format;
    this.mappings = mappings;
    this.searchedIndices = searched;
    this.table = table;
  }

  /**
   * Reads the parameters of a request for a columnar response to one of several searches.
   *
   * @throws IllegalArgumentException if a parameter contradicts the columnar format
   */
  static ColumnarResponseFormat from(
      ColumnarFormat format,
      RestRequest request,
      MappedFieldsCache mappings,
      SearchedIndexResolver searched) {
    if (request.param("filter_path") != null) {
      throw new IllegalArgumentException(
          "got [filter_path] with a columnar answer (expected: none; name columns in [_source] or"
              + " [fields])");
    }
    String other = request.param("format");
    if (other != null && !(other.equals("json") && format == ColumnarFormat.JSON)) {
      throw new IllegalArgumentException(
          "got [" + other + "] for [format] with a columnar answer (expected: none)");
    }
    String table = request.param(TABLE_PARAMETER);
    if (table != null && format == ColumnarFormat.JSON) {
      throw new IllegalArgumentException(
          "got ["
              + TABLE_PARAMETER
              + "] with JSON columns (expected: none; they have every table)");
    }
    return new ColumnarResponseFormat(format, mappings, searched, table);
  }

  /**
   * Reads the parameters of a request for one search.
   *
   * @throws IllegalArgumentException if a parameter contradicts the columnar format
   */
  static ColumnarResponseFormat ofSearch(
      ColumnarFormat format,
      RestRequest request,
      MappedFieldsCache mappings,
      SearchedIndexResolver searched) {
    ColumnarResponseFormat search = from(format, request, mappings, searched);
    search.showsNamedQueryScores = NamedQueryScores.areRequested(request);
    return search;
  }

  /**
   * Reads the parameters of a request for a further page of a scroll. Columns follow from its hits.
   *
   * @throws IllegalArgumentException if a parameter contradicts the columnar format
   */
  static ColumnarResponseFormat ofFurtherPage(
      ColumnarFormat format,
      RestRequest request,
      MappedFieldsCache mappings,
      SearchedIndexResolver searched) {
    ColumnarResponseFormat page = from(format, request, mappings, searched);
    page.isFurtherPage = true;
    return page;
  }

  /** Returns whether the request selects one table. */
  boolean hasSelectedTable() {
    return table != null;
  }

  @Override
  public String name() {
    return ColumnarFormat.PARAMETER;
  }

  @Override
  public void prepareRequest(SearchRequest asking) {
    search = asking;
    SearchSourceBuilder source = search.source();
    if (source == null) {
      return;
    }
    rejectIf(source.highlighter() != null, "highlight", "none");
    rejectIf(Boolean.TRUE.equals(source.explain()), "explain", "none");
    rejectIf(
        source.collapse() != null && !source.collapse().getInnerHits().isEmpty(),
        "collapse with inner_hits",
        "collapse alone");
    rejectIf(InnerHitsDetector.hasInnerHits(source), "inner_hits", "none");
    if (format != ColumnarFormat.JSON) {
      rejectIf(source.suggest() != null, "suggest", "none, or JSON columns");
      rejectIf(source.profile(), "profile", "none, or JSON columns");
    }
    if (!showsNamedQueryScores || search.scroll() != null) {
      NamedQueryScores.leaveOut(source); // further pages of a scroll do not know the parameter
    }
    wantsHits = source.size() != 0;
    requestedColumns = RequestedColumns.from(source);
    if (search.scroll() != null) {
      requestedColumns = requestedColumns.withoutDates(source);
    }
    if (source.fetchSource() == null
        && source.storedFields() == null
        && RequestedColumns.hasNamedFields(source)) {
      source.fetchSource(false);
    }
  }

  @Override
  public boolean canReadColumns() {
    return wantsHits && search.scroll() == null && RequestedColumns.areDocValues(search.source());
  }

  private static void rejectIf(boolean is, String what, String expected) {
    if (is) {
      throw new IllegalArgumentException(
          "got [" + what + "] with a columnar answer (expected: " + expected + ")");
    }
  }

  @Override
  public RestResponse writeResponse(
      SearchResponse answer, RestRequest request, OutputFactory outputs) throws IOException {
    ResponseHits found = ResponseHits.from(answer);
    if (isFurtherPage) {
      requestedColumns = FurtherPageColumns.of(found);
    }
    ResponseEnvelope envelope = new ResponseEnvelope(answer, found, request);
    if (format != ColumnarFormat.JSON) {
      return writeTable(answer, found, envelope, outputs);
    }
    List<BytesReference> pieces = writeOpenObject(answer, found, envelope, outputs);
    pieces.add(new BytesArray("}"));
    return new BytesRestResponse(answer.status(), format.contentType(), join(pieces));
  }

  /**
   * Writes one of several responses as an object without its end; the next member needs a comma.
   */
  List<BytesReference> writeOpenObject(
      SearchResponse answer, RestRequest request, OutputFactory outputs) throws IOException {
    ResponseHits found = ResponseHits.from(answer);
    return writeOpenObject(answer, found, new ResponseEnvelope(answer, found, request), outputs);
  }

  private List<BytesReference> writeOpenObject(
      SearchResponse answer, ResponseHits found, ResponseEnvelope envelope, OutputFactory outputs)
      throws IOException {
    List<BytesReference> pieces = new ArrayList<>();
    pieces.add(envelope.writeOpenObject(outputs.open(PAGE_BYTES)));
    if (wantsHits) {
      pieces.add(new BytesArray(","));
      RowSource rows = hitRows(found);
      JsonColumnWriter columns = new JsonColumnWriter(rows.columns(), outputs);
      rows.forEachRow(columns);
      columns.appendTo(pieces);
    }
    RequestedTables tables = requestedTables(answer);
    Aggregations aggregations = answer.getAggregations();
    if (aggregations != null || !tables.paths().isEmpty()) {
      new JsonTableWriter(tables, outputs)
          .appendTo(pieces, aggregations == null ? InternalAggregations.EMPTY : aggregations);
    }
    return pieces;
  }

  /**
   * Writes all tables of one of several responses, each as a stream of Arrow's.
   *
   * @param metadata of each table's schema; the table's name and the envelope are added
   */
  List<BytesReference> writeStreams(
      SearchResponse answer,
      RestRequest request,
      Map<String, String> metadata,
      OutputFactory outputs)
      throws IOException {
    ResponseHits found = ResponseHits.from(answer);
    Map<String, String> all = new LinkedHashMap<>(metadata);
    all.put(ENVELOPE_METADATA, new ResponseEnvelope(answer, found, request).toHeaderLine());
    Map<String, RowSource> tables = new LinkedHashMap<>();
    if (wantsHits) {
      tables.put(HITS_TABLE, hitRows(found));
    }
    tables.putAll(AggregationRows.all(requestedTables(answer), answer.getAggregations()));
    if (tables.isEmpty()) {
      tables.put(HITS_TABLE, NoRows.INSTANCE); // its metadata says how many there are
    }
    List<BytesReference> pieces = new ArrayList<>();
    for (Map.Entry<String, RowSource> each : tables.entrySet()) {
      all.put(TABLE_METADATA, each.getKey());
      pieces.addAll(ArrowStreamWriter.write(each.getValue(), all, outputs));
    }
    return pieces;
  }

  static BytesReference join(List<BytesReference> pieces) {
    return CompositeBytesReference.of(pieces.toArray(BytesReference[]::new));
  }

  private RowSource hitRows(ResponseHits found) {
    boolean needsMappings = found.count() == 0 && !requestedColumns.fieldNames().isEmpty();
    return new HitRows(
        found,
        mappings,
        requestedColumns,
        needsMappings ? searchedIndices.resolve(search) : List.of());
  }

  /** Writes one table, in a format that holds no more than one. */
  private RestResponse writeTable(
      SearchResponse answer, ResponseHits found, ResponseEnvelope envelope, OutputFactory outputs)
      throws IOException {
    RowSource rows = selectRows(answer, found);
    String metadataLine = envelope.toHeaderLine();
    String scrollId = answer.getScrollId();
    boolean fitsHeader = scrollId == null || scrollId.length() <= ResponseEnvelope.MAX_HEADER_BYTES;
    if (!fitsHeader && format == ColumnarFormat.CSV) {
      throw new IllegalArgumentException(
          "got a scroll whose id has ["
              + scrollId.length()
              + "] bytes, for CSV (expected: at most "
              + ResponseEnvelope.MAX_HEADER_BYTES
              + ", for a header; or json or arrow, which have a place for it)");
    }
    BytesReference content =
        format == ColumnarFormat.CSV
            ? writeCsv(rows, outputs)
            : writeArrow(rows, metadataLine, scrollId, outputs);
    BytesRestResponse response =
        new BytesRestResponse(answer.status(), format.contentType(), content);
    response.addHeader(ENVELOPE_HEADER, metadataLine);
    if (scrollId != null && fitsHeader) {
      response.addHeader(SCROLL_HEADER, scrollId);
    }
    return response;
  }

  private static BytesReference writeCsv(RowSource rows, OutputFactory outputs) throws IOException {
    return CsvRowWriter.write(rows, outputs.open(PAGE_BYTES));
  }

  private static BytesReference writeArrow(
      RowSource rows, String envelope, @Nullable String scrollId, OutputFactory outputs)
      throws IOException {
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put(ENVELOPE_METADATA, envelope);
    if (scrollId != null) {
      metadata.put(SCROLL_METADATA, scrollId);
    }
    return join(ArrowStreamWriter.write(rows, metadata, outputs));
  }

  private RowSource selectRows(SearchResponse answer, ResponseHits found) throws IOException {
    if (HITS_TABLE.equals(table) || (table == null && wantsHits)) {
      return hitRows(found);
    }
    return AggregationRows.select(requestedTables(answer), answer.getAggregations(), table);
  }

  /** Returns the tables that the search requests, even where it found nothing. */
  private RequestedTables requestedTables(SearchResponse answer) {
    SearchSourceBuilder source = search.source();
    boolean sampled = answer instanceof SampledResponse one && one.sampling() != null;
    return source == null
        ? RequestedTables.NONE
        : RequestedTables.from(
            source.aggregations(), new KeyTypeResolver(this::searchedMappings), sampled);
  }

  private List<MappedFields> searchedMappings() {
    return searchedIndices.resolve(search).stream().map(mappings::fieldsOf).distinct().toList();
  }
}
