package dev.weir.responses.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The HTTP trailers after the response body. */
final class ExportTrailers {
  private static final String ROWS = "X-Weir-Rows";
  private static final String CURSOR = "X-Weir-Cursor";

  /** Clients accept about 8 KB for all headers together. */
  private static final int MAX_TRAILER_BYTES = 4 << 10;

  /** The header that announces the trailers. */
  static final List<Map.Entry<String, String>> TRAILER_HEADERS =
      List.of(Map.entry("Trailer", ROWS + ", " + CURSOR));

  private ExportTrailers() {}

  /**
   * Creates the trailers.
   *
   * @param rows the rows sent, including those before a cursor
   * @param cursor the cursor if there are more rows; otherwise null
   */
  static List<Map.Entry<String, String>> create(long rows, @Nullable String cursor) {
    List<Map.Entry<String, String>> all = new ArrayList<>();
    all.add(Map.entry(ROWS, Long.toString(rows)));
    if (cursor != null && cursor.length() <= MAX_TRAILER_BYTES) {
      all.add(Map.entry(CURSOR, cursor));
    }
    return all;
  }
}
