package dev.weir.rest;

import dev.weir.model.BodyCutter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParseException;
import org.opensearch.core.xcontent.XContentParser;

/**
 * Finds where the items of a bulk end, by the rules of OpenSearch's {@code BulkRequestParser}: an
 * item is an action line and, unless it deletes, the line of its source; blank lines may come
 * before an action line. At an action line that is none, which that parser refuses, the body is
 * cut.
 */
final class BulkCutter implements BodyCutter {
  /** A section has so many items at most: they are paid for and answered together. */
  static final int MOST_ITEMS = 4096;

  private static final byte[] DELETE = ascii("\"delete\"");
  private static final byte[][] WITH_SOURCE = {
    ascii("\"index\""), ascii("\"create\""), ascii("\"update\"")
  };

  private enum Line {
    BLANK,
    WHOLE_ITEM,
    BEFORE_SOURCE,
    MALFORMED
  }

  private final int mostItems;
  private int readTo;
  private int lineStart;
  private int linesRead;
  private boolean source;
  private int cut;
  private int items;
  private int lines;
  private boolean full;

  BulkCutter() {
    this(MOST_ITEMS);
  }

  BulkCutter(int mostItems) {
    this.mostItems = mostItems;
  }

  @Override
  public void read(byte[] array, int to) {
    while (!full) {
      int newline = Newlines.next(array, readTo, to);
      if (newline < 0) {
        readTo = to;
        return;
      }
      line(array, newline);
      readTo = newline + 1;
      lineStart = readTo;
    }
  }

  private void line(byte[] array, int newline) {
    linesRead++;
    if (source) {
      source = false;
      item(newline);
      return;
    }
    switch (kind(array, lineStart, newline)) {
      case BLANK -> {
        if (items > 0) {
          cutAfter(newline);
        }
      }
      case WHOLE_ITEM -> item(newline);
      case BEFORE_SOURCE -> source = true;
      case MALFORMED -> {
        cutAfter(newline);
        full = true;
      }
    }
  }

  private void item(int newline) {
    items++;
    full = items == mostItems;
    cutAfter(newline);
  }

  private void cutAfter(int newline) {
    cut = newline + 1;
    lines = linesRead;
  }

  private static Line kind(byte[] array, int from, int to) {
    int at = blanks(array, from, to);
    if (at == to) {
      return Line.BLANK;
    }
    if (array[at] == '{') {
      at = blanks(array, at + 1, to);
      if (begins(array, at, to, DELETE)) {
        return Line.WHOLE_ITEM;
      }
      for (byte[] action : WITH_SOURCE) {
        if (begins(array, at, to, action)) {
          return Line.BEFORE_SOURCE;
        }
      }
    }
    return parsed(array, from, to);
  }

  /** What is written in another way than is usual. */
  private static Line parsed(byte[] array, int from, int to) {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            array,
            from,
            to - from)) {
      XContentParser.Token token = parser.nextToken();
      if (token == null) {
        return Line.BLANK;
      }
      if (token != XContentParser.Token.START_OBJECT
          || parser.nextToken() != XContentParser.Token.FIELD_NAME) {
        return Line.MALFORMED;
      }
      return switch (parser.currentName()) {
        case "delete" -> Line.WHOLE_ITEM;
        case "index", "create", "update" -> Line.BEFORE_SOURCE;
        default -> Line.MALFORMED;
      };
    } catch (IOException | XContentParseException e) {
      return Line.MALFORMED;
    }
  }

  private static int blanks(byte[] array, int from, int to) {
    int at = from;
    while (at < to && (array[at] == ' ' || array[at] == '\t' || array[at] == '\r')) {
      at++;
    }
    return at;
  }

  private static boolean begins(byte[] array, int at, int to, byte[] word) {
    if (to - at < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (array[at + i] != word[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int cut() {
    return cut;
  }

  @Override
  public boolean full() {
    return full;
  }

  @Override
  public int items() {
    return items;
  }

  @Override
  public int lines() {
    return lines;
  }

  @Override
  public void restart(int from) {
    readTo = from;
    lineStart = from;
    linesRead = 0;
    source = false;
    cut = from;
    items = 0;
    lines = 0;
    full = false;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
