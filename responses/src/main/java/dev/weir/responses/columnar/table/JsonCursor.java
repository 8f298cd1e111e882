package dev.weir.responses.columnar.table;

import java.nio.charset.StandardCharsets;

/**
 * Walks over JSON in an array without making anything of it. The JSON is as OpenSearch took it, so
 * there may be comments, and numbers that are none. Used by one thread, for one array after
 * another.
 */
public final class JsonCursor {
  private static final long QUOTES = Longs.all('"');
  private static final long BACKSLASHES = Longs.all('\\');

  private byte[] bytes = new byte[0];
  private int at;
  private int end;
  private int from;
  private int to;

  /** Stands before the first of these bytes from now on. */
  public void over(byte[] newBytes, int first, int behind) {
    bytes = newBytes;
    at = first;
    end = behind;
  }

  /** The array that it walks over. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where what was skipped last begins. */
  public int from() {
    return from;
  }

  /** Behind what was skipped last. */
  public int to() {
    return to;
  }

  /** The next byte that is neither a blank nor part of a comment; -1 at the end. */
  public int peek() {
    int b = at < end ? bytes[at] : -1;
    return b > ' ' && b != '/' ? b : peekOn();
  }

  private int peekOn() {
    while (at < end) {
      byte b = bytes[at];
      if (b == '/') {
        comment();
      } else if (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
        at++;
      } else {
        return b;
      }
    }
    return -1;
  }

  /** Goes behind a byte that must be the next. */
  public void take(char expected) {
    int next = peek();
    if (next != expected) {
      throw malformed("'" + expected + "'");
    }
    at++;
  }

  /** Goes behind a comma if that is the next. */
  public void takeComma() {
    if (peek() == ',') {
      at++;
    }
  }

  /**
   * Goes behind a member's key and colon; {@link #from} and {@link #to} are those of its quotes.
   */
  public void key() {
    if (peek() != '"') {
      throw malformed("a key");
    }
    from = at;
    string();
    to = at;
    take(':');
  }

  /**
   * Goes behind a key and its colon if that is what lies ahead, without anything before or between.
   */
  public boolean take(Key key) {
    int behind = at + key.length();
    if (behind > end || !key.isAt(bytes, at)) {
      return false;
    }
    at = behind;
    return true;
  }

  /** Goes behind the next value; its {@link Kinds}. */
  public int skip() {
    int first = peek();
    int start = at;
    int kinds = first == '"' ? string() : value(first);
    from = start;
    to = at;
    return kinds;
  }

  private int value(int first) {
    return switch (first) {
      case '"' -> string();
      case '{' -> {
        container();
        yield Kinds.OBJECT;
      }
      case '[' -> list();
      case 't', 'f' -> {
        word();
        yield Kinds.BOOLEAN;
      }
      case 'n' -> {
        word();
        yield Kinds.NULL;
      }
      default -> number();
    };
  }

  private int list() {
    at++;
    int kinds = Kinds.LIST;
    for (int next = peek(); next != ']'; next = peek()) {
      if (next == '[') {
        container();
        kinds |= Kinds.DEEP;
      } else {
        kinds |= value(next);
      }
      takeComma();
    }
    at++;
    return kinds;
  }

  /** Goes behind an object or a list, however deep: without a stack. */
  private void container() {
    int depth = 0;
    do {
      switch (peek()) {
        case '{', '[' -> {
          depth++;
          at++;
        }
        case '}', ']' -> {
          depth--;
          at++;
        }
        case '"' -> string();
        case -1 -> throw malformed("the end of an object or a list");
        default -> at++;
      }
    } while (depth > 0);
  }

  private int string() {
    int i = at + 1;
    while (i <= end - Long.BYTES) {
      long text = Longs.at(bytes, i);
      long found = Longs.zeros(text ^ QUOTES) | Longs.zeros(text ^ BACKSLASHES);
      i += Longs.below(found);
      if (found != 0) {
        if (bytes[i] == '"') {
          at = i + 1;
          return Kinds.STRING;
        }
        i += 2;
      }
    }
    return stringEnd(i);
  }

  private int stringEnd(int start) {
    int i = start;
    while (i < end) {
      byte b = bytes[i];
      if (b == '"') {
        at = i + 1;
        return Kinds.STRING;
      }
      i += b == '\\' ? 2 : 1;
    }
    throw malformed("the end of a string");
  }

  /** Goes behind what is most likely a number; what kind of number it is. */
  private int number() {
    int kind = Kinds.INTEGER;
    int i = digits(at);
    if (i < end && bytes[i] == '.') {
      kind = Kinds.DECIMAL;
      i = digits(i + 1);
    }
    if (i == at || i >= end || (bytes[i] != ',' && bytes[i] != '}')) {
      return word();
    }
    at = i;
    return kind;
  }

  /** Where digits end that begin at a place, perhaps behind the end. */
  private int digits(int start) {
    int i = start;
    while (i <= bytes.length - Long.BYTES) {
      long others = Longs.notDigits(Longs.at(bytes, i));
      i += Longs.below(others);
      if (others != 0) {
        return i;
      }
    }
    return end;
  }

  /** Goes behind a number or a literal; what kind of number it is. */
  private int word() {
    int start = at;
    int kind = Kinds.INTEGER;
    while (at < end) {
      byte b = bytes[at];
      switch (b) {
        case ',', ']', '}', ' ', '\n', '\r', '\t', '/' -> {
          return ended(start, kind);
        }
        case '.', 'e', 'E', 'N', 'I' -> kind = Kinds.DECIMAL;
        default -> {
          // a digit, a sign or a letter
        }
      }
      at++;
    }
    return ended(start, kind);
  }

  private int ended(int start, int kind) {
    if (at == start) {
      throw malformed("a value");
    }
    return kind;
  }

  private void comment() {
    int next = at + 1 < end ? bytes[at + 1] : -1;
    if (next == '/') {
      while (at < end && bytes[at] != '\n') {
        at++;
      }
      return;
    }
    if (next != '*') {
      throw malformed("a value");
    }
    at += 2;
    while (at + 1 < end && !(bytes[at] == '*' && bytes[at + 1] == '/')) {
      at++;
    }
    at = Math.min(end, at + 2);
  }

  private IllegalStateException malformed(String expected) {
    int shown = Math.min(end, at + 20);
    String got = at >= end ? "the end" : new String(bytes, at, shown - at, StandardCharsets.UTF_8);
    return new IllegalStateException("got " + got + " in JSON (expected: " + expected + ")");
  }
}
