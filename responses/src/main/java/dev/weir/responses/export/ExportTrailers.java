package dev.weir.responses.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is told behind the answer. */
final class ExportTrailers {
  private static final String ROWS = "X-Weir-Rows";
  private static final String CURSOR = "X-Weir-Cursor";

  /** Clients take 8 KB of all headers together. */
  private static final int MAX_TRAILER_BYTES = 4 << 10;

  /** Says before the answer what comes behind it. */
  static final List<Map.Entry<String, String>> TRAILER_HEADERS =
      List.of(Map.entry("Trailer", ROWS + ", " + CURSOR));

  private ExportTrailers() {}

  /**
   * The trailers.
   *
   * @param rows told, since the first part of the export
   * @param cursor where there is more; null where there is not
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
