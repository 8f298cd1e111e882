package dev.weir.core.actions.truncate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.apache.lucene.util.BytesRef;

/**
 * Finds the strings of a JSON document that are too long for their keyword fields, and where to
 * truncate them. Scans the bytes and decodes only names. A document that is not plain JSON
 * (comments, invalid UTF-8) is left to the node. Used once, by one thread.
 */
final class KeywordTruncator {
  private static final int MAX_DEPTH = 1000;
  private static final int INITIAL_DEPTH = 16;
  private static final int HEX = 16;
  private static final int UNICODE_ESCAPE = 6;

  /**
   * A range of bytes to remove.
   *
   * @param from the first byte, counted from the start of the document
   * @param to the end, exclusive
   */
  record RemovedBytes(int from, int to) {}

  /** The document is not plain JSON. */
  private static final class UnreadableDocumentException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnreadableDocumentException() {
      super("got no plain JSON (expected: what the node says)", null, false, false);
    }
  }

  private final byte[] bytes;
  private final int start;
  private final int end;
  private final KeywordFields fields;
  private final boolean isSharedTruncated;
  private final Consumer<UntruncatedReason> untruncated;
  private final List<RemovedBytes> removals = new ArrayList<>(1);
  private final StringBuilder path = new StringBuilder();
  private int position;
  private int depth;
  private boolean isNameNext;

  /** By depth: whether the container is an object, and the length of its path. */
  private boolean[] isObject = new boolean[INITIAL_DEPTH];

  private int[] pathLengths = new int[INITIAL_DEPTH];

  private KeywordTruncator(
      BytesRef json,
      KeywordFields fields,
      boolean isSharedTruncated,
      Consumer<UntruncatedReason> untruncated) {
    this.bytes = json.bytes;
    this.start = json.offset;
    this.position = start;
    this.end = start + json.length;
    this.fields = fields;
    this.isSharedTruncated = isSharedTruncated;
    this.untruncated = untruncated;
  }

  /** Returns whether a document has any string that may be too long. */
  static boolean hasLongString(byte[] bytes, int start, int length) {
    int end = start + length;
    int at = start;
    while (at < end) {
      if (bytes[at++] == '"') {
        int from = at;
        at = endOfString(bytes, at, end);
        if (at - from > ValueLimit.MAX_TERM_BYTES) {
          return true;
        }
        at++;
      }
    }
    return false;
  }

  /**
   * Returns the ranges to remove from a document, in order.
   *
   * @param isSharedTruncated whether values that other fields share are truncated
   * @param untruncated gets why a value that is too long was left alone
   */
  static List<RemovedBytes> findRemovals(
      BytesRef json,
      KeywordFields fields,
      boolean isSharedTruncated,
      Consumer<UntruncatedReason> untruncated) {
    KeywordTruncator strings = new KeywordTruncator(json, fields, isSharedTruncated, untruncated);
    try {
      strings.scan();
    } catch (UnreadableDocumentException e) {
      untruncated.accept(UntruncatedReason.UNREADABLE);
      return List.of();
    }
    return strings.removals;
  }

  /**
   * Returns the position of the closing quote of the string at {@code from}; past the end if it is
   * missing.
   */
  private static int endOfString(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return at;
  }

  private void scan() {
    while (position < end) {
      switch (bytes[position++]) {
        case '{' -> open(true);
        case '[' -> open(false);
        case '}', ']' -> closeContainer();
        case ',' -> isNameNext = isObject[depth];
        case '"' -> readString();
        case '/' -> throw new UnreadableDocumentException();
        default -> {
          // blanks, colons, numbers, literals
        }
      }
    }
  }

  private void open(boolean isObject) {
    if (depth == MAX_DEPTH) {
      throw new UnreadableDocumentException();
    }
    depth++;
    if (depth == this.isObject.length) {
      this.isObject = Arrays.copyOf(this.isObject, depth * 2);
      pathLengths = Arrays.copyOf(pathLengths, depth * 2);
    }
    this.isObject[depth] = isObject;
    pathLengths[depth] = path.length();
    isNameNext = isObject;
  }

  private void closeContainer() {
    if (depth == 0) {
      throw new UnreadableDocumentException();
    }
    path.setLength(pathLengths[depth]);
    depth--;
    isNameNext = false;
  }

  private void readString() {
    int from = position;
    int to = endOfString(bytes, from, end);
    if (to >= end) {
      throw new UnreadableDocumentException();
    }
    position = to + 1;
    if (isNameNext) {
      isNameNext = false;
      path.setLength(pathLengths[depth]);
      if (!path.isEmpty()) {
        path.append('.');
      }
      appendName(from, to);
    } else if (to - from > ValueLimit.MAX_TERM_BYTES) {
      TruncatedField field = fields.field(path.toString());
      if (field != null) {
        readValue(from, to, field);
      }
    }
  }

  private void appendName(int from, int to) {
    int plain = from;
    while (plain < to && bytes[plain] != '\\') {
      plain++;
    }
    if (plain == to) {
      path.append(new String(bytes, from, to - from, StandardCharsets.UTF_8));
      return;
    }
    int i = from;
    while (i < to) {
      int piece = i;
      while (i < to && bytes[i] != '\\') {
        i++;
      }
      path.append(new String(bytes, piece, i - piece, StandardCharsets.UTF_8));
      if (i < to) {
        if (bytes[i + 1] == 'u') {
          path.append(decodeEscape(i, to));
          i += UNICODE_ESCAPE;
        } else {
          path.append(escaped(bytes[i + 1]));
          i += 2;
        }
      }
    }
  }

  private static char escaped(byte b) {
    return switch (b) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> (char) b;
    };
  }

  /** Decodes an escape to its UTF-16 unit. */
  private char decodeEscape(int escape, int to) {
    if (escape + UNICODE_ESCAPE > to) {
      throw new UnreadableDocumentException();
    }
    int unit = 0;
    for (int i = escape + 2; i < escape + UNICODE_ESCAPE; i++) {
      int digit = Character.digit(bytes[i], HEX);
      if (digit < 0) {
        throw new UnreadableDocumentException();
      }
      unit = unit * HEX + digit;
    }
    return (char) unit;
  }

  /** Scans a value by code points, in the form in which they are indexed: as UTF-8. */
  private void readValue(int from, int to, TruncatedField field) {
    ValueLimit limit = field.limit(isSharedTruncated);
    int maxBytes = (limit == null ? field.all() : limit).maxBytes();
    int length = 0;
    int units = 0;
    int cut = to;
    int i = from;
    while (i < to) {
      int raw;
      int width;
      byte b = bytes[i];
      if (b == '\\') {
        boolean unicode = bytes[i + 1] == 'u';
        char unit = unicode ? decodeEscape(i, to) : '\\';
        if (unicode && Character.isHighSurrogate(unit) && isLowSurrogate(i + UNICODE_ESCAPE, to)) {
          raw = 2 * UNICODE_ESCAPE;
          width = 4;
        } else {
          raw = unicode ? UNICODE_ESCAPE : 2;
          width = unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3; // a lone surrogate becomes U+FFFD: 3
        }
      } else {
        raw = utf8Length(b);
        width = raw;
      }
      if (length + width > maxBytes && cut == to) {
        cut = i;
      }
      length += width;
      units += width == 4 ? 2 : 1;
      i += raw;
    }
    if (i != to) {
      throw new UnreadableDocumentException();
    }
    if (limit != null && limit.isExceeded(length, units)) {
      removals.add(new RemovedBytes(cut - start, to - start));
    } else if (field.all().isExceeded(length, units)) {
      untruncated.accept(field.reason());
    }
  }

  private boolean isLowSurrogate(int escape, int to) {
    return escape + UNICODE_ESCAPE <= to
        && bytes[escape] == '\\'
        && bytes[escape + 1] == 'u'
        && Character.isLowSurrogate(decodeEscape(escape, to));
  }

  /** Returns the number of bytes of the code point that starts with this byte. */
  private static int utf8Length(byte first) {
    if (first >= 0) {
      return 1;
    }
    if ((first & 0xE0) == 0xC0) {
      return 2;
    }
    if ((first & 0xF0) == 0xE0) {
      return 3;
    }
    if ((first & 0xF8) == 0xF0) {
      return 4;
    }
    throw new UnreadableDocumentException();
  }
}
