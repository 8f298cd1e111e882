package dev.weir.responses.export;

import dev.weir.responses.columnar.TableStreams;
import dev.weir.responses.columnar.TableStreams.Form;
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
 * @param form of the answer
 * @param order whether the rows are wanted in an order
 * @param limit how many rows are wanted at the most
 * @param slices how many pages to ask for side by side; 0 for as many as the policy says
 * @param cursors whether the client wants to be able to go on
 * @param keepAlive for how long it may wait before it does
 * @param lists the columns whose values are lists
 * @param cursor where to go on; null to begin
 * @param belongs what cursors of it are marked with
 */
record ExportAsk(
    SearchRequest search,
    Form form,
    boolean order,
    long limit,
    int slices,
    boolean cursors,
    TimeValue keepAlive,
    List<String> lists,
    @Nullable Cursor cursor,
    long belongs) {
  private static final String CURSOR = "cursor";
  private static final String CURSOR_HEADER = "X-Weir-Cursor";
  private static final TimeValue KEPT = TimeValue.timeValueMinutes(5);
  private static final TimeValue LEAST_KEPT = TimeValue.timeValueSeconds(1);

  /**
   * Reads a request, whose parameters are consumed.
   *
   * @param mostSlices that may be asked for
   * @throws IllegalArgumentException for what can't be exported
   */
  static ExportAsk of(RestRequest request, SearchRequest search, int mostSlices) {
    SearchSourceBuilder source = search.source();
    Form form = TableStreams.form(request);
    if (request.param("filter_path") != null) {
      throw Exportable.refused("filter_path", "none; name fields in [_source] or [fields]");
    }
    Exportable.check(search);
    boolean order = Exportable.isOrdered(source);
    int size = source.size();
    boolean cursors = request.paramAsBoolean("cursors", false);
    if (cursors && form == Form.CSV) {
      throw Exportable.refused("cursors", "none with csv, which has no place for them");
    }
    TimeValue keepAlive = request.paramAsTime("keep_alive", KEPT);
    if (keepAlive.compareTo(LEAST_KEPT) < 0) {
      throw new IllegalArgumentException(
          "got [" + keepAlive + "] for [keep_alive] (expected: at least " + LEAST_KEPT + ")");
    }
    String[] lists = Strings.splitStringByCommaToArray(request.param("lists", ""));
    source.size(0); // another one may be asked for at a cursor
    long belongs = mark(search, form, lists);
    return new ExportAsk(
        search,
        form,
        order,
        size < 0 ? Long.MAX_VALUE : size,
        slices(request.param("slices", "auto"), mostSlices),
        cursors,
        keepAlive,
        List.of(lists),
        cursor(request, belongs),
        belongs);
  }

  /** What a cursor is called where it is told. */
  String cursorName() {
    return form == Form.ARROW ? "weir.cursor" : "cursor";
  }

  private static int slices(String asked, int most) {
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

  private static @Nullable Cursor cursor(RestRequest request, long belongs) {
    String text = request.param(CURSOR, request.header(CURSOR_HEADER));
    if (text == null) {
      return null;
    }
    Cursor cursor = Cursor.decode(text);
    if (cursor.belongs() != belongs) {
      throw new IllegalArgumentException(
          "got a cursor of another export (expected: one of the same index, query and format)");
    }
    return cursor;
  }

  private static long mark(SearchRequest search, Form form, String[] lists) {
    String all =
        String.join(
            "\n",
            form.word(),
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
