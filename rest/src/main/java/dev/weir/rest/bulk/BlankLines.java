package dev.weir.rest.bulk;

import java.util.ArrayList;
import java.util.List;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;

/**
 * Shortens long runs of blank lines in an NDJSON bulk. OpenSearch's parser skips each with a JSON
 * parser of its own: 100 MB of them keep it busy for ten seconds. The items stay the same; the
 * number of a line that an error names counts the lines that are left. Stateless.
 */
final class BlankLines {
  /** Shorter runs stay as they are. */
  static final int MIN_RUN = 4096;

  /** The first may be the source of the item before; where an action is due, all are skipped. */
  private static final int KEPT_LINES = 2;

  /** A run covers at least one of the positions that are looked at. */
  private static final int STEP = MIN_RUN;

  private BlankLines() {}

  /**
   * Returns the body itself if it has no long run, otherwise what is left of it, without a copy.
   */
  static BytesReference shorten(BytesArray body) {
    byte[] bytes = body.array();
    int end = body.offset() + body.length();
    List<BytesReference> kept = new ArrayList<>(0);
    int keptTo = body.offset();
    for (int at = body.offset() + STEP - 1; at < end; at += STEP) {
      if (!isBlank(bytes[at])) {
        continue;
      }
      int from = at;
      while (from > keptTo && isBlank(bytes[from - 1])) {
        from--;
      }
      int to = at + 1;
      while (to < end && isBlank(bytes[to])) {
        to++;
      }
      int cutFrom = afterNewlines(bytes, from, to);
      int cutTo = afterLastNewline(bytes, cutFrom, to);
      if (to - from >= MIN_RUN && cutTo > cutFrom) {
        kept.add(new BytesArray(bytes, keptTo, cutFrom - keptTo));
        keptTo = cutTo;
      }
      at += (to - 1 - at) / STEP * STEP; // the next position to look at is behind the run
    }
    if (kept.isEmpty()) {
      return body;
    }
    kept.add(new BytesArray(bytes, keptTo, end - keptTo));
    return CompositeBytesReference.of(kept.toArray(BytesReference[]::new));
  }

  /** Returns the end of the lines to keep: of the one before the run and of blank ones. */
  private static int afterNewlines(byte[] bytes, int from, int to) {
    int newlines = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n' && ++newlines > KEPT_LINES) {
        return i + 1;
      }
    }
    return to;
  }

  /** Returns the start of the run's last line, which may have an action behind its blanks. */
  private static int afterLastNewline(byte[] bytes, int from, int to) {
    for (int i = to; i > from; i--) {
      if (bytes[i - 1] == '\n') {
        return i;
      }
    }
    return from;
  }

  private static boolean isBlank(byte b) {
    return b == '\n' || b == '\r' || b == ' ' || b == '\t';
  }
}
