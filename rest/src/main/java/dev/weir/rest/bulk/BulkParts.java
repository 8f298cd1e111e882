package dev.weir.rest.bulk;

import java.io.IOException;
import org.opensearch.core.common.bytes.BytesArray;

/**
 * Cuts an NDJSON bulk into parts at runs of blank lines, which are left out. OpenSearch's parser
 * skips each blank line with a JSON parser of its own: 100 MB of them keep it busy for ten seconds.
 * The parts have the same items. Stateless.
 */
final class BulkParts {
  /** Shorter runs stay as they are, in bytes. */
  static final int MIN_RUN = 16;

  /**
   * The lines at the start of a run that stay: the end of the line before, and the first blank
   * line, which may be that line's source. Where an action is due, all others are skipped.
   */
  private static final int KEPT_NEWLINES = 2;

  private BulkParts() {}

  /** Receives one part after the other. */
  @FunctionalInterface
  interface Receiver {
    /**
     * Reads a part.
     *
     * @param part of the body's array
     * @param linesBefore the lines of the body before it
     */
    void read(BytesArray part, long linesBefore) throws IOException;
  }

  /** Passes on the parts; the body itself if it has no such run. */
  static void forEach(BytesArray body, Receiver receiver) throws IOException {
    byte[] bytes = body.array();
    int end = body.offset() + body.length();
    int partFrom = body.offset();
    int linesTo = partFrom;
    long lines = 0;
    // a run covers at least one of the positions that are looked at
    for (int at = partFrom + MIN_RUN - 1; at < end; at += MIN_RUN) {
      if (!isBlank(bytes[at])) {
        continue;
      }
      int from = at;
      while (from > partFrom && isBlank(bytes[from - 1])) {
        from--;
      }
      int to = at + 1;
      while (to < end && isBlank(bytes[to])) {
        to++;
      }
      int cutFrom = afterNewlines(bytes, from, to);
      int cutTo = afterLastNewline(bytes, cutFrom, to);
      if (to - from >= MIN_RUN && cutTo > cutFrom) {
        lines += BulkLineScanner.countNewlines(bytes, linesTo, partFrom);
        linesTo = partFrom;
        receiver.read(new BytesArray(bytes, partFrom, cutFrom - partFrom), lines);
        partFrom = cutTo;
      }
      at += (to - 1 - at) / MIN_RUN * MIN_RUN; // the next position is behind the run
    }
    if (partFrom < end || partFrom == body.offset()) {
      lines += BulkLineScanner.countNewlines(bytes, linesTo, partFrom);
      receiver.read(new BytesArray(bytes, partFrom, end - partFrom), lines);
    }
  }

  private static int afterNewlines(byte[] bytes, int from, int to) {
    int newlines = 0;
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n' && ++newlines == KEPT_NEWLINES) {
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
