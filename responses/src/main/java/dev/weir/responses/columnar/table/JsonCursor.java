package dev.weir.responses.columnar.table;

import java.nio.charset.StandardCharsets;

/**
 * Walks over JSON in an array without making anything of it. The JSON is as OpenSearch took it, so
 * there may be comments, and numbers that are none. Used by one thread, for one array after
 * another.
 */
public final class JsonCursor {
  private static final long QUOTES = PackedBytes.repeat('"');
  private static final long BACKSLASHES = PackedBytes.repeat('\\');

  private byte[] bytes = new byte[0];
  private int position;
  private int end;
  private int tokenStart;
  private int tokenEnd;

  /** Stands before the first of these bytes from now on. */
  public void reset(byte[] newBytes, int first, int behind) {
    bytes = newBytes;
    position = first;
    end = behind;
  }

  /** The array that it walks over. */
  public byte[] bytes() {
    return bytes;
  }

  /** Where what was skipped last begins. */
  public int tokenStart() {
    return tokenStart;
  }

  /** Behind what was skipped last. */
  public int tokenEnd() {
    return tokenEnd;
  }

  /** The next byte that is neither a blank nor part of a comment; -1 at the end. */
  public int peek() {
    int b = position < end ? bytes[position] : -1;
    return b > ' ' && b != '/' ? b : peekSlow();
  }

  private int peekSlow() {
    while (position < end) {
      byte b = bytes[position];
      if (b == '/') {
        skipComment();
      } else if (b == ' ' || b == '\n' || b == '\r' || b == '\t') {
        position++;
      } else {
        return b;
      }
    }
    return -1;
  }

  /** Goes behind a byte that must be the next. */
  public void expect(char expected) {
    int next = peek();
    if (next != expected) {
      throw malformed("'" + expected + "'");
    }
    position++;
  }

  /** Goes behind a comma if that is the next. */
  public void takeComma() {
    if (peek() == ',') {
      position++;
    }
  }

  /**
   * Goes behind a member's key and colon; {@link #tokenStart} and {@link #tokenEnd} are those of
   * its quotes.
   */
  public void readKey() {
    if (peek() != '"') {
      throw malformed("a key");
    }
    tokenStart = position;
    skipString();
    tokenEnd = position;
    expect(':');
  }

  /**
   * Goes behind a key and its colon if that is what lies ahead, without anything before or between.
   */
  public boolean expect(JsonKey key) {
    int behind = position + key.length();
    if (behind > end || !key.matchesAt(bytes, position)) {
      return false;
    }
    position = behind;
    return true;
  }

  /** Goes behind the next value; its {@link ValueKinds}. */
  public int skip() {
    int first = peek();
    int start = position;
    int kinds = first == '"' ? skipString() : skipValue(first);
    tokenStart = start;
    tokenEnd = position;
    return kinds;
  }

  private int skipValue(int first) {
    return switch (first) {
      case '"' -> skipString();
      case '{' -> {
        skipContainer();
        yield ValueKinds.OBJECT;
      }
      case '[' -> skipList();
      case 't', 'f' -> {
        skipLiteral();
        yield ValueKinds.BOOLEAN;
      }
      case 'n' -> {
        skipLiteral();
        yield ValueKinds.NULL;
      }
      default -> skipNumber();
    };
  }

  private int skipList() {
    position++;
    int kinds = ValueKinds.LIST;
    for (int next = peek(); next != ']'; next = peek()) {
      if (next == '[') {
        skipContainer();
        kinds |= ValueKinds.NESTED_LIST;
      } else {
        kinds |= skipValue(next);
      }
      takeComma();
    }
    position++;
    return kinds;
  }

  /** Goes behind an object or a list, however deep: without a stack. */
  private void skipContainer() {
    int depth = 0;
    do {
      switch (peek()) {
        case '{', '[' -> {
          depth++;
          position++;
        }
        case '}', ']' -> {
          depth--;
          position++;
        }
        case '"' -> skipString();
        case -1 -> throw malformed("the end of an object or a list");
        default -> position++;
      }
    } while (depth > 0);
  }

  private int skipString() {
    int i = position + 1;
    while (i <= end - Long.BYTES) {
      long text = PackedBytes.readLong(bytes, i);
      long found =
          PackedBytes.zeroByteMask(text ^ QUOTES) | PackedBytes.zeroByteMask(text ^ BACKSLASHES);
      i += PackedBytes.bytesBelow(found);
      if (found != 0) {
        if (bytes[i] == '"') {
          position = i + 1;
          return ValueKinds.STRING;
        }
        i += 2;
      }
    }
    return findStringEnd(i);
  }

  private int findStringEnd(int start) {
    int i = start;
    while (i < end) {
      byte b = bytes[i];
      if (b == '"') {
        position = i + 1;
        return ValueKinds.STRING;
      }
      i += b == '\\' ? 2 : 1;
    }
    throw malformed("the end of a string");
  }

  /** Goes behind what is most likely a number; what kind of number it is. */
  private int skipNumber() {
    int kind = ValueKinds.INTEGER;
    int i = skipDigits(position);
    if (i < end && bytes[i] == '.') {
      kind = ValueKinds.DECIMAL;
      i = skipDigits(i + 1);
    }
    if (i == position || i >= end || (bytes[i] != ',' && bytes[i] != '}')) {
      return skipLiteral();
    }
    position = i;
    return kind;
  }

  /** Where digits end that begin at a place, perhaps behind the end. */
  private int skipDigits(int start) {
    int i = start;
    while (i <= bytes.length - Long.BYTES) {
      long others = PackedBytes.nonDigitMask(PackedBytes.readLong(bytes, i));
      i += PackedBytes.bytesBelow(others);
      if (others != 0) {
        return i;
      }
    }
    return end;
  }

  /** Goes behind a number or a literal; what kind of number it is. */
  private int skipLiteral() {
    int start = position;
    int kind = ValueKinds.INTEGER;
    while (position < end) {
      byte b = bytes[position];
      switch (b) {
        case ',', ']', '}', ' ', '\n', '\r', '\t', '/' -> {
          return endValue(start, kind);
        }
        case '.', 'e', 'E', 'N', 'I' -> kind = ValueKinds.DECIMAL;
        default -> {
          // a digit, a sign or a letter
        }
      }
      position++;
    }
    return endValue(start, kind);
  }

  private int endValue(int start, int kind) {
    if (position == start) {
      throw malformed("a value");
    }
    return kind;
  }

  private void skipComment() {
    int next = position + 1 < end ? bytes[position + 1] : -1;
    if (next == '/') {
      while (position < end && bytes[position] != '\n') {
        position++;
      }
      return;
    }
    if (next != '*') {
      throw malformed("a value");
    }
    position += 2;
    while (position + 1 < end && !(bytes[position] == '*' && bytes[position + 1] == '/')) {
      position++;
    }
    position = Math.min(end, position + 2);
  }

  private IllegalStateException malformed(String expected) {
    int shown = Math.min(end, position + 20);
    String got =
        position >= end
            ? "the end"
            : new String(bytes, position, shown - position, StandardCharsets.UTF_8);
    return new IllegalStateException("got " + got + " in JSON (expected: " + expected + ")");
  }
}
