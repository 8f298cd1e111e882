package dev.weir.responses.columnar;

import dev.weir.responses.columnar.arrow.ArrowStreamWriter;
import dev.weir.responses.columnar.table.NoRows;
import dev.weir.rest.MultiSearchResponseFormat;
import dev.weir.rest.SearchResponseFormat.OutputFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.search.MultiSearchResponse;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.search.SearchResponse;
import org.opensearch.common.io.Streams;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.rest.BytesRestResponse;
import org.opensearch.rest.RestRequest;
import org.opensearch.rest.RestResponse;

/**
 * The columnar response to a multi-search, in the order of its searches. JSON is that of {@code
 * _msearch} with a columnar response in each place; Arrow is one stream for each table, one after
 * the other, and an empty one for a failed search. Used by one thread.
 */
final class ColumnarMultiSearchFormat implements MultiSearchResponseFormat {
  /** The keys of the metadata of an Arrow schema. */
  private static final String SEARCH_METADATA = "weir.search";

  private static final String INDICES_METADATA = "weir.indices";
  private static final String STATUS_METADATA = "weir.status";
  private static final String ERROR_METADATA = "weir.error";

  private static final int PREFIX_BYTES = "{\"took\":0,\"responses\":[".length();
  private static final int SUFFIX_BYTES = "]}".length();
  private static final int FAILURE_BYTES = 512;

  private final ColumnarFormat format;
  private final Supplier<ColumnarResponseFormat> formatOfSearch;
  private final List<Part> parts = new ArrayList<>();

  /** One search, and what is written of its response. */
  private static final class Part {
    private final ColumnarResponseFormat format;
    private final String indices;
    private List<BytesReference> written = List.of();

    Part(ColumnarResponseFormat format, String indices) {
      this.format = format;
      this.indices = indices;
    }
  }

  /**
   * Creates the format of one multi-search.
   *
   * @param format JSON or Arrow
   * @param formatOfSearch creates the format of each search
   */
  ColumnarMultiSearchFormat(
      ColumnarFormat format, Supplier<ColumnarResponseFormat> formatOfSearch) {
    this.format = format;
    this.formatOfSearch = formatOfSearch;
    rejectTable(formatOfSearch.get());
  }

  /** A response has all of its tables. */
  private static void rejectTable(ColumnarResponseFormat search) {
    if (search.hasSelectedTable()) {
      throw new IllegalArgumentException(
          "got ["
              + ColumnarResponseFormat.TABLE_PARAMETER
              + "] with several searches (expected: none; they have every table)");
    }
  }

  @Override
  public String name() {
    return ColumnarFormat.PARAMETER;
  }

  @Override
  public void prepareRequests(List<SearchRequest> searches) {
    for (SearchRequest search : searches) {
      Part part = new Part(formatOfSearch.get(), String.join(",", search.indices()));
      try {
        part.format.prepareRequest(search);
      } catch (IllegalArgumentException unsupported) {
        throw new IllegalArgumentException(
            "search [" + parts.size() + "]: " + unsupported.getMessage(), unsupported);
      }
      parts.add(part);
    }
  }

  @Override
  public void writePart(
      int number, MultiSearchResponse.Item item, RestRequest request, OutputFactory outputs)
      throws IOException {
    Part part = parts.get(number);
    SearchResponse response = item.getResponse();
    if (format == ColumnarFormat.JSON) {
      part.written =
          response == null
              ? List.of(writeFailure(item, request, outputs))
              : writeObject(part, response, request, outputs);
      return;
    }
    RestStatus status =
        response == null ? ExceptionsHelper.status(item.getFailure()) : response.status();
    Map<String, String> metadata = new LinkedHashMap<>();
    metadata.put(SEARCH_METADATA, Integer.toString(number));
    metadata.put(INDICES_METADATA, part.indices);
    metadata.put(STATUS_METADATA, Integer.toString(status.getStatus()));
    if (response == null) {
      metadata.put(ERROR_METADATA, writeFailure(item, request, outputs).utf8ToString());
      part.written = ArrowStreamWriter.write(NoRows.INSTANCE, metadata, outputs);
    } else {
      part.written = part.format.writeStreams(response, request, metadata, outputs);
    }
  }

  private static List<BytesReference> writeObject(
      Part part, SearchResponse response, RestRequest request, OutputFactory outputs)
      throws IOException {
    List<BytesReference> pieces = part.format.writeOpenObject(response, request, outputs);
    pieces.add(new BytesArray(",\"status\":" + response.status().getStatus() + "}"));
    return pieces;
  }

  /** Writes a failure as a node does: an object with {@code error} and {@code status}. */
  private static BytesReference writeFailure(
      MultiSearchResponse.Item item, RestRequest request, OutputFactory outputs)
      throws IOException {
    BytesStreamOutput out = outputs.open(FAILURE_BYTES);
    try (XContentBuilder builder =
        new XContentBuilder(XContentType.JSON.xContent(), Streams.flushOnCloseStream(out))) {
      new MultiSearchResponse(new MultiSearchResponse.Item[] {item}, 0)
          .toXContent(builder, request);
    }
    BytesReference whole = out.bytes();
    return whole.slice(PREFIX_BYTES, whole.length() - PREFIX_BYTES - SUFFIX_BYTES);
  }

  @Override
  public RestResponse toResponse(long tookMillis) {
    List<BytesReference> pieces = new ArrayList<>();
    if (format == ColumnarFormat.JSON) {
      String start = "{\"took\":" + tookMillis + ",\"responses\":[";
      for (Part part : parts) {
        pieces.add(new BytesArray(pieces.isEmpty() ? start : ","));
        pieces.addAll(part.written);
      }
      pieces.add(new BytesArray("]}"));
    } else {
      parts.forEach(part -> pieces.addAll(part.written));
    }
    BytesRestResponse response =
        new BytesRestResponse(
            RestStatus.OK, format.contentType(), ColumnarResponseFormat.join(pieces));
    if (format == ColumnarFormat.ARROW) {
      response.addHeader(ColumnarResponseFormat.ENVELOPE_HEADER, "{\"took\":" + tookMillis + "}");
    }
    return response;
  }
}
