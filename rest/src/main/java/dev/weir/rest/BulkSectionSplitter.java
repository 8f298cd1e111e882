package dev.weir.rest;

import dev.weir.model.BodySectionSplitter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParseException;
import org.opensearch.core.xcontent.XContentParser;

/**
 * Finds the boundaries between the items of a bulk, by the rules of OpenSearch's {@code
 * BulkRequestParser}: an item is an action line and, except for a delete, a source line; blank
 * lines may precede an action line. It splits before a malformed action line, which that parser
 * rejects.
 */
final class BulkSectionSplitter implements BodySectionSplitter {
  /** The maximum number of items of a section; their memory and responses are handled together. */
  static final int MAX_ITEMS = 4096;

  private static final byte[] DELETE = ascii("\"delete\"");
  private static final byte[][] ACTIONS_WITH_SOURCE = {
    ascii("\"index\""), ascii("\"create\""), ascii("\"update\"")
  };

  private enum LineKind {
    BLANK,
    COMPLETE_ITEM,
    BEFORE_SOURCE,
    MALFORMED
  }

  private final int maxItems;
  private int readTo;
  private int lineStart;
  private int linesRead;
  private boolean expectsSource;
  private int cut;
  private int items;
  private int lines;
  private boolean full;

  BulkSectionSplitter() {
    this(MAX_ITEMS);
  }

  BulkSectionSplitter(int mostItems) {
    this.maxItems = mostItems;
  }

  @Override
  public void scan(byte[] array, int to) {
    while (!full) {
      int newline = NewlineScanner.indexOf(array, readTo, to);
      if (newline < 0) {
        readTo = to;
        return;
      }
      readLine(array, newline);
      readTo = newline + 1;
      lineStart = readTo;
    }
  }

  private void readLine(byte[] array, int newline) {
    linesRead++;
    if (expectsSource) {
      expectsSource = false;
      countItem(newline);
      return;
    }
    switch (classify(array, lineStart, newline)) {
      case BLANK -> {
        if (items > 0) {
          cutAfter(newline);
        }
      }
      case COMPLETE_ITEM -> countItem(newline);
      case BEFORE_SOURCE -> expectsSource = true;
      case MALFORMED -> {
        cutAfter(newline);
        full = true;
      }
    }
  }

  private void countItem(int newline) {
    items++;
    full = items == maxItems;
    cutAfter(newline);
  }

  private void cutAfter(int newline) {
    cut = newline + 1;
    lines = linesRead;
  }

  private static LineKind classify(byte[] array, int from, int to) {
    int at = skipBlanks(array, from, to);
    if (at == to) {
      return LineKind.BLANK;
    }
    if (array[at] == '{') {
      at = skipBlanks(array, at + 1, to);
      if (startsWith(array, at, to, DELETE)) {
        return LineKind.COMPLETE_ITEM;
      }
      for (byte[] action : ACTIONS_WITH_SOURCE) {
        if (startsWith(array, at, to, action)) {
          return LineKind.BEFORE_SOURCE;
        }
      }
    }
    return classifyParsed(array, from, to);
  }

  /** Classifies an action line in an uncommon notation with a JSON parser. */
  private static LineKind classifyParsed(byte[] array, int from, int to) {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            array,
            from,
            to - from)) {
      XContentParser.Token token = parser.nextToken();
      if (token == null) {
        return LineKind.BLANK;
      }
      if (token != XContentParser.Token.START_OBJECT
          || parser.nextToken() != XContentParser.Token.FIELD_NAME) {
        return LineKind.MALFORMED;
      }
      return switch (parser.currentName()) {
        case "delete" -> LineKind.COMPLETE_ITEM;
        case "index", "create", "update" -> LineKind.BEFORE_SOURCE;
        default -> LineKind.MALFORMED;
      };
    } catch (IOException | XContentParseException e) {
      return LineKind.MALFORMED;
    }
  }

  private static int skipBlanks(byte[] array, int from, int to) {
    int at = from;
    while (at < to && (array[at] == ' ' || array[at] == '\t' || array[at] == '\r')) {
      at++;
    }
    return at;
  }

  private static boolean startsWith(byte[] array, int at, int to, byte[] word) {
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
  public int sectionEnd() {
    return cut;
  }

  @Override
  public boolean isSectionFull() {
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
  public void restartAt(int from) {
    readTo = from;
    lineStart = from;
    linesRead = 0;
    expectsSource = false;
    cut = from;
    items = 0;
    lines = 0;
    full = false;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
