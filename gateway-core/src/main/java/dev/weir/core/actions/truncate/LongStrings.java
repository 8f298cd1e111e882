package dev.weir.core.actions.truncate;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the strings of a JSON document that are too long for their keyword fields, and where to cut
 * them. Reads the bytes as they are and decodes nothing but names; a document that is not plain
 * JSON (comments, no UTF-8) is left to the node. Used once, by one thread.
 */
final class LongStrings {
  private static final int DEEPEST = 1000;
  private static final int FIRST_DEPTH = 16;
  private static final int HEX = 16;
  private static final int UNICODE_ESCAPE = 6;

  /**
   * Bytes to leave out.
   *
   * @param from the first, counted from the document's
   * @param to after the last
   */
  record Cut(int from, int to) {}

  /** The document can't be read. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Unreadable() {
      super("got no plain JSON (expected: what the node says)", null, false, false);
    }
  }

  private final byte[] bytes;
  private final int start;
  private final int end;
  private final KeywordFields fields;
  private final List<Cut> cuts = new ArrayList<>(1);
  private final StringBuilder path = new StringBuilder();
  private int at;
  private int depth;
  private boolean nameNext;

  /** By depth: whether it is an object, and how long its own path is. */
  private boolean[] object = new boolean[FIRST_DEPTH];

  private int[] own = new int[FIRST_DEPTH];

  private LongStrings(byte[] bytes, int start, int length, KeywordFields fields) {
    this.bytes = bytes;
    this.start = start;
    this.at = start;
    this.end = start + length;
    this.fields = fields;
  }

  /** Whether a document has a string that may be too long at all. */
  static boolean any(byte[] bytes, int start, int length) {
    int end = start + length;
    int at = start;
    while (at < end) {
      if (bytes[at++] == '"') {
        int from = at;
        at = close(bytes, at, end);
        if (at - from > KeywordFields.LONGEST_TERM) {
          return true;
        }
        at++;
      }
    }
    return false;
  }

  /** What to leave out of a document, in order. */
  static List<Cut> cuts(byte[] bytes, int start, int length, KeywordFields fields) {
    LongStrings strings = new LongStrings(bytes, start, length, fields);
    try {
      strings.scan();
    } catch (Unreadable e) {
      return List.of();
    }
    return strings.cuts;
  }

  /** Where the string that begins here is closed; past the end where it is not. */
  private static int close(byte[] bytes, int from, int end) {
    int at = from;
    while (at < end && bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return at;
  }

  private void scan() {
    while (at < end) {
      switch (bytes[at++]) {
        case '{' -> open(true);
        case '[' -> open(false);
        case '}', ']' -> close();
        case ',' -> nameNext = object[depth];
        case '"' -> string();
        case '/' -> throw new Unreadable();
        default -> {
          // blanks, colons, numbers, literals
        }
      }
    }
  }

  private void open(boolean isObject) {
    if (depth == DEEPEST) {
      throw new Unreadable();
    }
    depth++;
    if (depth == object.length) {
      object = Arrays.copyOf(object, depth * 2);
      own = Arrays.copyOf(own, depth * 2);
    }
    object[depth] = isObject;
    own[depth] = path.length();
    nameNext = isObject;
  }

  private void close() {
    if (depth == 0) {
      throw new Unreadable();
    }
    path.setLength(own[depth]);
    depth--;
    nameNext = false;
  }

  private void string() {
    int from = at;
    int to = close(bytes, from, end);
    if (to >= end) {
      throw new Unreadable();
    }
    at = to + 1;
    if (nameNext) {
      nameNext = false;
      path.setLength(own[depth]);
      if (!path.isEmpty()) {
        path.append('.');
      }
      appendName(from, to);
    } else if (to - from > KeywordFields.LONGEST_TERM) {
      KeywordFields.Field field = fields.at(path.toString());
      if (field != null) {
        value(from, to, field);
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
          path.append(unit(i, to));
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

  /** The UTF-16 unit that an escape stands for. */
  private char unit(int escape, int to) {
    if (escape + UNICODE_ESCAPE > to) {
      throw new Unreadable();
    }
    int unit = 0;
    for (int i = escape + 2; i < escape + UNICODE_ESCAPE; i++) {
      int digit = Character.digit(bytes[i], HEX);
      if (digit < 0) {
        throw new Unreadable();
      }
      unit = unit * HEX + digit;
    }
    return (char) unit;
  }

  /** Goes through a value by code points, as they will be indexed: as UTF-8. */
  private void value(int from, int to, KeywordFields.Field field) {
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
        char unit = unicode ? unit(i, to) : '\\';
        if (unicode && Character.isHighSurrogate(unit) && isLowSurrogate(i + UNICODE_ESCAPE, to)) {
          raw = 2 * UNICODE_ESCAPE;
          width = 4;
        } else {
          raw = unicode ? UNICODE_ESCAPE : 2;
          width = unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3; // a lone surrogate becomes U+FFFD: 3
        }
      } else {
        raw = width(b);
        width = raw;
      }
      if (length + width > field.cutTo() && cut == to) {
        cut = i;
      }
      length += width;
      units += width == 4 ? 2 : 1;
      i += raw;
    }
    if (i != to) {
      throw new Unreadable();
    }
    if (length > KeywordFields.LONGEST_TERM && units <= field.ignoreAbove()) {
      cuts.add(new Cut(cut - start, to - start));
    }
  }

  private boolean isLowSurrogate(int escape, int to) {
    return escape + UNICODE_ESCAPE <= to
        && bytes[escape] == '\\'
        && bytes[escape + 1] == 'u'
        && Character.isLowSurrogate(unit(escape, to));
  }

  /** How many bytes the code point has that begins with this one. */
  private static int width(byte first) {
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
    throw new Unreadable();
  }
}
