package dev.weir.responses.export;

import dev.weir.responses.columnar.TableStreamFactory;
import dev.weir.responses.columnar.TableStreamFactory.StreamFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.core.common.Strings;
import org.opensearch.rest.RestRequest;
import org.opensearch.search.builder.SearchSourceBuilder;

/**
 * What a client asks of an export.
 *
 * @param search its search
 * @param format of the answer
 * @param isOrdered whether the rows are wanted in an order
 * @param maxRows how many rows are wanted at the most
 * @param parseSlices how many pages to ask for side by side; 0 for as many as the policy says
 * @param sendsCursors whether the client wants to be able to go on
 * @param keepAlive for how long it may wait before it does
 * @param listColumns the columns whose values are lists
 * @param parseCursor where to go on; null to begin
 * @param requestHash what cursors of it are marked with
 */
record ExportSpec(
    SearchRequest search,
    StreamFormat format,
    boolean isOrdered,
    long maxRows,
    int parseSlices,
    boolean sendsCursors,
    TimeValue keepAlive,
    List<String> listColumns,
    @Nullable ExportCursor parseCursor,
    long requestHash) {
  private static final String CURSOR = "cursor";
  private static final String CURSOR_HEADER = "X-Weir-Cursor";
  private static final TimeValue DEFAULT_KEEP_ALIVE = TimeValue.timeValueMinutes(5);
  private static final TimeValue MIN_KEEP_ALIVE = TimeValue.timeValueSeconds(1);

  /**
   * Reads a request, whose parameters are consumed.
   *
   * @param mostSlices that may be asked for
   * @throws IllegalArgumentException for what can't be exported
   */
  static ExportSpec parse(RestRequest request, SearchRequest search, int mostSlices) {
    SearchSourceBuilder source = search.source();
    StreamFormat form = TableStreamFactory.parseFormat(request);
    if (request.param("filter_path") != null) {
      throw ExportValidator.reject("filter_path", "none; name fields in [_source] or [fields]");
    }
    ExportValidator.validate(search);
    boolean order = ExportValidator.isOrdered(source);
    int size = source.size();
    boolean cursors = request.paramAsBoolean("cursors", false);
    if (cursors && form == StreamFormat.CSV) {
      throw ExportValidator.reject("cursors", "none with csv, which has no place for them");
    }
    TimeValue keepAlive = request.paramAsTime("keep_alive", DEFAULT_KEEP_ALIVE);
    if (keepAlive.compareTo(MIN_KEEP_ALIVE) < 0) {
      throw new IllegalArgumentException(
          "got [" + keepAlive + "] for [keep_alive] (expected: at least " + MIN_KEEP_ALIVE + ")");
    }
    String[] lists = Strings.splitStringByCommaToArray(request.param("lists", ""));
    source.size(0); // another one may be asked for at a cursor
    long belongs = hashRequest(search, form, lists);
    return new ExportSpec(
        search,
        form,
        order,
        size < 0 ? Long.MAX_VALUE : size,
        parseSlices(request.param("slices", "auto"), mostSlices),
        cursors,
        keepAlive,
        List.of(lists),
        parseCursor(request, belongs),
        belongs);
  }

  /** What a cursor is called where it is told. */
  String cursorName() {
    return format == StreamFormat.ARROW ? "weir.cursor" : "cursor";
  }

  private static int parseSlices(String asked, int most) {
    if (asked.equals("auto")) {
      return 0;
    }
    try {
      int slices = Integer.parseInt(asked);
      if (slices >= 1 && slices <= most) {
        return slices;
      }
    } catch (NumberFormatException none) {
      // said below
    }
    throw new IllegalArgumentException(
        "got [" + asked + "] for [slices] (expected: auto, or 1 to " + most + ")");
  }

  private static @Nullable ExportCursor parseCursor(RestRequest request, long belongs) {
    String text = request.param(CURSOR, request.header(CURSOR_HEADER));
    if (text == null) {
      return null;
    }
    ExportCursor cursor = ExportCursor.decode(text);
    if (cursor.requestHash() != belongs) {
      throw new IllegalArgumentException(
          "got a cursor of another export (expected: one of the same index, query and format)");
    }
    return cursor;
  }

  private static long hashRequest(SearchRequest search, StreamFormat form, String[] lists) {
    String all =
        String.join(
            "\n",
            form.displayName(),
            String.join(",", lists),
            String.join(",", search.indices()),
            String.valueOf(search.routing()),
            search.source().toString());
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(all.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("got no SHA-256 (expected: in every JDK)", e);
    }
  }
}
