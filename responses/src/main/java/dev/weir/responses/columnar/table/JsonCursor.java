package dev.weir.responses.columnar.table;

import dev.weir.model.PackedBytes;
import java.nio.charset.StandardCharsets;

/**
 * Steps through JSON in an array without creating objects. The input is whatever OpenSearch
 * accepted: it may contain comments and non-standard numbers. Used by one thread, for one array
 * after another.
 */
public final class JsonCursor {
  private static final long QUOTES = PackedBytes.repeat('"');
  private static final long BACKSLASHES = PackedBytes.repeat('\\');

  private byte[] bytes = new byte[0];
  private int position;
  private int end;
  private int tokenStart;
  private int tokenEnd;

  /** Moves to the first of these bytes. */
  public void reset(byte[] newBytes, int first, int behind) {
    bytes = newBytes;
    position = first;
    end = behind;
  }

  /** Returns the current array. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns the start of the last skipped token. */
  public int tokenStart() {
    return tokenStart;
  }

  /** Returns the position after the last skipped token. */
  public int tokenEnd() {
    return tokenEnd;
  }

  /** Returns the next byte that is neither blank nor in a comment; -1 at the end. */
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

  /** Skips a byte that must come next. */
  public void expect(char expected) {
    int next = peek();
    if (next != expected) {
      throw malformed("'" + expected + "'");
    }
    position++;
  }

  /** Skips a comma if one comes next. */
  public void takeComma() {
    if (peek() == ',') {
      position++;
    }
  }

  /**
   * Skips a member's key and colon; {@link #tokenStart} and {@link #tokenEnd} then span its quotes.
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

  /** Skips a key and its colon if exactly they come next, without blanks. */
  public boolean expect(JsonKey key) {
    int behind = position + key.length();
    if (behind > end || !key.matchesAt(bytes, position)) {
      return false;
    }
    position = behind;
    return true;
  }

  /** Skips the next value; returns its {@link ValueKinds}. */
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

  /** Skips an object or a list of any depth, without recursion. */
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

  /** Skips a value that is most likely a number; returns its kind. */
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

  /** Returns the end of the digits at a position; it may lie beyond the cursor's end. */
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

  /** Skips a number or a literal; returns its kind. */
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
          // a digit, a sign or a letter: keep the kind
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
