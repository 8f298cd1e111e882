package dev.weir.rest.bulk;

import dev.weir.model.PackedBytes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.XContentParser;

/**
 * Reads the lines of an NDJSON bulk in an array, by the rules of OpenSearch's {@code
 * BulkRequestParser}: an item is an action line and, except for a delete, a source line; blank
 * lines may precede an action line. Everything in the gateway that reads whole lines of a bulk is
 * built on it: {@link FastBulkParser} creates requests, {@link BulkSectionSplitter} finds the
 * boundaries of items while a body arrives, {@link BulkItemAccounting} counts items.
 *
 * <p>{@code dev.weir.routing.traffic.BodyIndexRenamer} is separate on purpose: it rewrites a body
 * that it never holds as lines, piece by piece, and has to find index names within action lines.
 *
 * <p>It allocates nothing for common notation. Used by one thread.
 */
final class BulkLineScanner {
  /** What an action line says; all but {@link #DELETE} have a source line. */
  enum Action {
    INDEX,
    CREATE,
    UPDATE,
    DELETE,
    /** A blank line. */
    BLANK,
    /** Another notation, for example with escapes, or no action at all. */
    UNCOMMON,
    /** OpenSearch's parser rejects the line. */
    MALFORMED
  }

  private static final byte[] NO_BYTES = {};
  private static final byte[] INDEX = toAscii("\"index\"");
  private static final byte[] CREATE = toAscii("\"create\"");
  private static final byte[] UPDATE = toAscii("\"update\"");
  private static final byte[] DELETE = toAscii("\"delete\"");

  private byte[] bytes = NO_BYTES;
  private int position;
  private int end;

  /** Starts reading at a position; the bytes from {@code to} on are never read. */
  void reset(byte[] array, int from, int to) {
    bytes = array;
    position = from;
    end = to;
  }

  /** Returns the position of the next newline; -1 if there is none before {@code end}. */
  static int findNewline(byte[] bytes, int from, int end) {
    return PackedBytes.indexOf(bytes, '\n', from, end);
  }

  /** Counts newlines. */
  static long countNewlines(byte[] bytes, int from, int end) {
    long newlines = 0;
    for (int i = from; i < end; i++) {
      if (bytes[i] == '\n') {
        newlines++;
      }
    }
    return newlines;
  }

  static byte[] toAscii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  byte[] bytes() {
    return bytes;
  }

  int position() {
    return position;
  }

  boolean isAtEnd() {
    return position >= end;
  }

  /**
   * Moves behind the current line.
   *
   * @return the position of the line's newline; -1, without a move, if it has none
   */
  int skipLine() {
    int newline = findNewline(bytes, position, end);
    if (newline >= 0) {
      position = newline + 1;
    }
    return newline;
  }

  /** Reads an action line up to the action's name; never {@link Action#MALFORMED}. */
  Action readAction() {
    skipBlanks();
    if (position >= end || bytes[position] == '\n') {
      return Action.BLANK;
    }
    if (tryConsume('{')) {
      skipBlanks();
      if (tryConsumeHere(INDEX)) {
        return Action.INDEX;
      } else if (tryConsumeHere(CREATE)) {
        return Action.CREATE;
      } else if (tryConsumeHere(DELETE)) {
        return Action.DELETE;
      } else if (tryConsumeHere(UPDATE)) {
        return Action.UPDATE;
      }
    }
    return Action.UNCOMMON;
  }

  /** Reads the action of a whole line in any notation; never {@link Action#UNCOMMON}. */
  Action readAnyAction(byte[] array, int lineStart, int newline) {
    reset(array, lineStart, newline);
    Action action = readAction();
    reset(NO_BYTES, 0, 0); // keep no array that its owner may recycle
    return action == Action.UNCOMMON ? parseAction(array, lineStart, newline) : action;
  }

  private static Action parseAction(byte[] array, int from, int to) {
    try (XContentParser parser =
        JsonXContent.jsonXContent.createParser(
            NamedXContentRegistry.EMPTY,
            DeprecationHandler.IGNORE_DEPRECATIONS,
            array,
            from,
            to - from)) {
      XContentParser.Token token = parser.nextToken();
      if (token == null) {
        return Action.BLANK;
      }
      if (token != XContentParser.Token.START_OBJECT
          || parser.nextToken() != XContentParser.Token.FIELD_NAME) {
        return Action.MALFORMED;
      }
      return switch (parser.currentName()) {
        case "index" -> Action.INDEX;
        case "create" -> Action.CREATE;
        case "update" -> Action.UPDATE;
        case "delete" -> Action.DELETE;
        default -> Action.MALFORMED;
      };
    } catch (IOException | RuntimeException e) {
      return Action.MALFORMED; // no JSON, or in an encoding that the parser does not know
    }
  }

  /**
   * Counts the items of a body; an action in uncommon notation counts as one with a source line. A
   * JSON parser for each line would cost more than the exact number is worth: the body may not even
   * be JSON.
   */
  static long countItems(byte[] bytes, int from, int to) {
    BulkLineScanner lines = new BulkLineScanner();
    lines.reset(bytes, from, to);
    long items = 0;
    while (!lines.isAtEnd()) {
      Action action = lines.readAction();
      boolean hasNext = lines.skipLine() >= 0;
      if (action != Action.BLANK) {
        items++;
        hasNext = hasNext && (action == Action.DELETE || lines.skipLine() >= 0);
      }
      if (!hasNext) {
        break;
      }
    }
    return items;
  }

  /** Consumes a character after blanks; otherwise only the blanks. */
  boolean tryConsume(char c) {
    skipBlanks();
    if (position < end && bytes[position] == c) {
      position++;
      return true;
    }
    return false;
  }

  /** Consumes a word after blanks; otherwise only the blanks. */
  boolean tryConsume(byte[] word) {
    skipBlanks();
    return tryConsumeHere(word);
  }

  private boolean tryConsumeHere(byte[] word) {
    if (end - position < word.length) {
      return false;
    }
    for (int i = 0; i < word.length; i++) {
      if (bytes[position + i] != word[i]) {
        return false;
      }
    }
    position += word.length;
    return true;
  }

  /** Consumes ASCII text that follows at once, with a quote behind it. */
  boolean tryConsumeUpToQuote(String text) {
    int length = text.length();
    if (end - position <= length || bytes[position + length] != '"') {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes[position + i] != text.charAt(i)) {
        return false;
      }
    }
    position += length + 1;
    return true;
  }

  /** Reads a plain ASCII string up to its closing quote; null for any other string. */
  @Nullable String readUpToQuote() {
    int from = position;
    return skipUpToQuote()
        ? new String(bytes, from, position - 1 - from, StandardCharsets.ISO_8859_1)
        : null;
  }

  /** Moves behind the closing quote of a plain ASCII string; returns false at any other string. */
  boolean skipUpToQuote() {
    while (position < end) {
      byte b = bytes[position];
      if (b == '"') {
        position++;
        return true;
      }
      if (b < ' ' || b == '\\') { // a control character, an escape, or not ASCII
        return false;
      }
      position++;
    }
    return false;
  }

  /** Moves over the blanks within a line. */
  private void skipBlanks() {
    while (position < end
        && (bytes[position] == ' ' || bytes[position] == '\t' || bytes[position] == '\r')) {
      position++;
    }
  }
}
