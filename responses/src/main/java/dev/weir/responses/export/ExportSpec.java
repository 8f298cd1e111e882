package dev.weir.responses.export;

import dev.weir.model.Sha256;
import dev.weir.responses.columnar.NamedQueryScores;
import dev.weir.responses.columnar.TableStreamFactory;
import dev.weir.responses.columnar.TableStreamFactory.StreamFormat;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.Strings;
import org.opensearch.rest.RestRequest;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * The options of one export request.
 *
 * @param search the search
 * @param format the format of the response
 * @param isOrdered the client wants an order of rows
 * @param maxRows the maximum number of rows
 * @param slices the number of concurrent pages; 0 for the policy's default
 * @param sendsCursors the client wants cursors to resume the export
 * @param keepAlive the time within which it may resume
 * @param listColumns the columns with lists as values
 * @param cursor the cursor to resume from; null to start
 * @param requestHash identifies the request in cursors
 * @param seal signs the cursors
 * @param clientAddress of the connection; empty if unknown
 */
record ExportSpec(
    SearchRequest search,
    StreamFormat format,
    boolean isOrdered,
    long maxRows,
    int slices,
    boolean sendsCursors,
    TimeValue keepAlive,
    List<String> listColumns,
    @Nullable ExportCursor cursor,
    long requestHash,
    CursorSigner.Seal seal,
    String clientAddress) {
  private static final String CURSOR = "cursor";
  private static final String CURSOR_HEADER = "X-Weir-Cursor";
  private static final TimeValue DEFAULT_KEEP_ALIVE = TimeValue.timeValueMinutes(5);

  /** Each renewal is a search of all shards: at most one every ten seconds. */
  private static final TimeValue MIN_KEEP_ALIVE = TimeValue.timeValueSeconds(30);

  /**
   * Parses a request and consumes its parameters.
   *
   * @param bodyCursor the cursor in the request's body; null for none
   * @param maxSlices the maximum number of slices of a request
   * @param seal signs the cursors of the request
   * @throws IllegalArgumentException if the search cannot be exported
   */
  static ExportSpec parse(
      RestRequest request,
      SearchRequest search,
      @Nullable String bodyCursor,
      int maxSlices,
      CursorSigner.Seal seal) {
    SearchSourceBuilder source = search.source();
    StreamFormat format = TableStreamFactory.parseFormat(request);
    if (request.param("filter_path") != null) {
      throw ExportValidator.reject("filter_path", "none; name fields in [_source] or [fields]");
    }
    ExportValidator.validate(search);
    boolean order = ExportValidator.isOrdered(source);
    int size = source.size();
    boolean cursors = request.paramAsBoolean("cursors", false);
    if (cursors && format == StreamFormat.CSV) {
      throw ExportValidator.reject("cursors", "none with csv, which has no place for them");
    }
    TimeValue keepAlive = request.paramAsTime("keep_alive", DEFAULT_KEEP_ALIVE);
    if (keepAlive.compareTo(MIN_KEEP_ALIVE) < 0) {
      throw new IllegalArgumentException(
          "got [" + keepAlive + "] for [keep_alive] (expected: at least " + MIN_KEEP_ALIVE + ")");
    }
    String[] lists = Strings.splitStringByCommaToArray(request.param("lists", ""));
    if (!NamedQueryScores.areRequested(request)) {
      NamedQueryScores.leaveOut(source);
    }
    source.size(0); // a resumed export may have another size
    long requestHash = hashRequest(search, format, lists);
    return new ExportSpec(
        search,
        format,
        order,
        size < 0 ? Long.MAX_VALUE : size,
        parseSlices(request.param("slices", "auto"), maxSlices),
        cursors,
        keepAlive,
        List.of(lists),
        parseCursor(request, bodyCursor, requestHash, seal),
        requestHash,
        seal,
        clientAddress(request));
  }

  private static String clientAddress(RestRequest request) {
    InetSocketAddress client = request.getHttpChannel().getRemoteAddress();
    return client == null || client.getAddress() == null
        ? ""
        : client.getAddress().getHostAddress();
  }

  /** Returns the name of the cursor in the response. */
  String cursorName() {
    return format == StreamFormat.ARROW ? "weir.cursor" : "cursor";
  }

  private static int parseSlices(String value, int maxSlices) {
    if (value.equals("auto")) {
      return 0;
    }
    try {
      int slices = Integer.parseInt(value);
      if (slices >= 1 && slices <= maxSlices) {
        return slices;
      }
    } catch (NumberFormatException none) {
      // the error below reports the value
    }
    throw new IllegalArgumentException(
        "got [" + value + "] for [slices] (expected: auto, or 1 to " + maxSlices + ")");
  }

  private static @Nullable ExportCursor parseCursor(
      RestRequest request, @Nullable String bodyCursor, long requestHash, CursorSigner.Seal seal) {
    String parameter = request.param(CURSOR, request.header(CURSOR_HEADER));
    String text = bodyCursor == null ? parameter : bodyCursor;
    if (text == null) {
      return null;
    }
    ExportCursor cursor = ExportCursor.decode(text, seal);
    if (cursor.requestHash() != requestHash) {
      throw new IllegalArgumentException(
          "got a cursor of another export (expected: one of the same index, query and format)");
    }
    return cursor;
  }

  private static long hashRequest(SearchRequest search, StreamFormat format, String[] lists) {
    String all =
        String.join(
            "\n",
            format.displayName(),
            String.join(",", lists),
            String.join(",", search.indices()),
            String.valueOf(search.routing()),
            search.source().toString());
    return ByteBuffer.wrap(Sha256.digest(all)).getLong();
  }
}
