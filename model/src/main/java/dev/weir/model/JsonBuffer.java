package dev.weir.model;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The gateway's writer of JSON as UTF-8 bytes: a growing byte array, for hits, bulk items, buckets
 * and columns. Written bytes never move within the array: a reader that keeps the array also keeps
 * what was written before. Small documents that are needed as text have {@link JsonTextWriter};
 * both escape by {@link JsonStringEscaper}. Used by one thread.
 */
public final class JsonBuffer extends OutputStream {
  private static final int MAX_NUMBER_LENGTH = 20;

  /** The decimal logarithm of two, times 4096. */
  private static final int BITS_TO_DIGITS = 1233;

  /** From 1 on, all that a long can hold. */
  private static final long[] POWERS_OF_TEN = new long[19];

  static {
    long power = 1;
    for (int i = 0; i < POWERS_OF_TEN.length; i++) {
      POWERS_OF_TEN[i] = power;
      power *= 10;
    }
  }

  private static final long BACKSLASHES = PackedBytes.repeat('\\');

  private byte[] bytes;
  private int length;

  public JsonBuffer(int capacity) {
    bytes = new byte[capacity];
  }

  /** Returns ASCII text as bytes. */
  public static byte[] toAscii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns true if the text is ASCII that needs no escape. */
  public static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Returns true if the UTF-8 text is ASCII that needs no escape. */
  public static boolean isPlain(byte[] text, int offset, int count) {
    for (int i = offset; i < offset + count; i++) {
      byte c = text[i];
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Returns the array; its first {@link #length} bytes are valid. */
  public byte[] bytes() {
    return bytes;
  }

  public int length() {
    return length;
  }

  /** Discards the content and reuses the array. */
  public void clear() {
    length = 0;
  }

  /** Discards everything after the first {@code size} bytes. */
  public void truncate(int size) {
    length = size;
  }

  /** Moves the content to a stream and reuses the array. */
  public void drainTo(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
    length = 0;
  }

  @Override
  public void write(int b) {
    ensureCapacity(1);
    bytes[length++] = (byte) b;
  }

  @Override
  public void write(byte[] from) {
    write(from, 0, from.length);
  }

  @Override
  public void write(byte[] from, int offset, int count) {
    ensureCapacity(count);
    System.arraycopy(from, offset, bytes, length, count);
    length += count;
  }

  public void write(JsonBuffer other) {
    write(other.bytes, 0, other.length);
  }

  /** Writes ASCII text without changes. */
  @SuppressWarnings("deprecation") // the only access to a string's bytes without a copy
  public void writeAscii(String text) {
    ensureCapacity(text.length());
    text.getBytes(0, text.length(), bytes, length);
    length += text.length();
  }

  /**
   * Writes a number as OpenSearch does: infinite numbers and NaN, which JSON does not have, in
   * quotes.
   */
  public void writeNumber(double number) {
    boolean finite = Double.isFinite(number);
    if (!finite) {
      write('"');
    }
    writeAscii(Double.toString(number));
    if (!finite) {
      write('"');
    }
  }

  /** Writes an integer; allocates nothing unless it is negative. */
  public void writeNumber(long number) {
    if (number < 0) {
      writeAscii(Long.toString(number));
      return;
    }
    ensureCapacity(MAX_NUMBER_LENGTH);
    int end = length + countDigits(number);
    long rest = number;
    for (int at = end; at > length; rest /= 10) {
      bytes[--at] = (byte) ('0' + rest % 10);
    }
    length = end;
  }

  private static int countDigits(long number) {
    int bits = Long.SIZE - Long.numberOfLeadingZeros(number);
    int atLeast = (bits * BITS_TO_DIGITS) >> 12;
    return number < POWERS_OF_TEN[atLeast] ? Math.max(1, atLeast) : atLeast + 1;
  }

  /** Writes ASCII text without escapes, in quotes. */
  public void writeQuoted(byte[] text, int from, int count) {
    ensureCapacity(count + 2);
    int at = length;
    bytes[at] = '"';
    System.arraycopy(text, from, bytes, at + 1, count);
    bytes[at + 1 + count] = '"';
    length = at + count + 2;
  }

  /**
   * Writes a string in quotes, with escapes where necessary. Plain ASCII, the usual case, is copied
   * as a whole and then checked; {@link JsonStringEscaper} says how the other characters are
   * escaped.
   */
  @SuppressWarnings("deprecation") // the only access to a string's bytes without a copy
  public void writeQuoted(String text) {
    int count = text.length();
    ensureCapacity(count + 2);
    text.getBytes(0, count, bytes, length + 1); // the low byte of each character
    if (isCopiedPlain(text, length + 1)) {
      bytes[length] = '"';
      bytes[length + 1 + count] = '"';
      length += count + 2;
      return;
    }
    write('"');
    for (int i = 0; i < count; i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        i += writeNonAscii(text, i);
        continue;
      }
      String escape = JsonStringEscaper.escapeOf(c);
      if (escape == null) {
        write(c);
      } else {
        writeAscii(escape);
      }
    }
    write('"');
  }

  /**
   * Returns true if the string, with its bytes already at this position, is ASCII without escapes.
   */
  private boolean isCopiedPlain(String text, int at) {
    int count = text.length();
    for (int i = 0; i < count; i++) {
      byte b = bytes[at + i];
      if (b < ' ' || b == '"' || b == '\\' || text.charAt(i) != b) {
        return false;
      }
    }
    return true;
  }

  /** Writes a non-ASCII character; returns how many further chars of the text it used. */
  private int writeNonAscii(String text, int at) {
    int point = text.codePointAt(at);
    writeUtf8(point);
    return Character.charCount(point) - 1;
  }

  /** Writes a character in UTF-8; an unpaired surrogate becomes a question mark. */
  public void writeUtf8(int point) {
    if (point < 0x80) {
      write(point);
    } else if (point < 0x800) {
      write(0xc0 | (point >> 6));
      write(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) {
        write('?');
        return;
      }
      write(0xe0 | (point >> 12));
      write(0x80 | ((point >> 6) & 0x3f));
      write(0x80 | (point & 0x3f));
    } else {
      write(0xf0 | (point >> 18));
      write(0x80 | ((point >> 12) & 0x3f));
      write(0x80 | ((point >> 6) & 0x3f));
      write(0x80 | (point & 0x3f));
    }
  }

  /**
   * Writes the text of a JSON string, without quotes and escapes.
   *
   * @param json contains the string
   * @param from the position of the opening quote
   * @param to the position after the closing quote
   */
  public void writeUnquoted(byte[] json, int from, int to) {
    int end = to - 1;
    int plain = from + 1;
    int at = findEscape(json, plain, end);
    while (at < end) {
      write(json, plain, at - plain);
      plain = writeUnescaped(json, at, end);
      at = findEscape(json, plain, end);
    }
    write(json, plain, end - plain);
  }

  /** Returns the position of the first escape within a string; {@code end} if there is none. */
  public static int findEscape(byte[] json, int from, int end) {
    int at = from;
    while (at <= json.length - Long.BYTES) {
      long found = PackedBytes.zeroByteMask(PackedBytes.readLong(json, at) ^ BACKSLASHES);
      at += PackedBytes.bytesBelow(found);
      if (found != 0 || at >= end) {
        return Math.min(at, end);
      }
    }
    return findLastEscape(json, at, end);
  }

  private static int findLastEscape(byte[] json, int from, int end) {
    int at = from;
    while (at < end && json[at] != '\\') {
      at++;
    }
    return at;
  }

  /** Writes the character of an escape; returns the position after the escape. */
  private int writeUnescaped(byte[] json, int at, int end) {
    byte escaped = json[at + 1];
    switch (escaped) {
      case 'n' -> write('\n');
      case 't' -> write('\t');
      case 'r' -> write('\r');
      case 'b' -> write('\b');
      case 'f' -> write('\f');
      case 'u' -> {
        int unit = parseCodeUnit(json, at);
        int next = at + 6;
        if (Character.isHighSurrogate((char) unit)
            && next + 6 <= end
            && json[next] == '\\'
            && json[next + 1] == 'u') {
          int low = parseCodeUnit(json, next);
          if (Character.isLowSurrogate((char) low)) {
            writeUtf8(Character.toCodePoint((char) unit, (char) low));
            return next + 6;
          }
        }
        writeUtf8(unit);
        return next;
      }
      default -> write(escaped);
    }
    return at + 2;
  }

  private static int parseCodeUnit(byte[] json, int at) {
    int unit = 0;
    for (int i = at + 2; i < at + 6; i++) {
      unit = unit << 4 | Character.digit(json[i], 16);
    }
    return unit;
  }

  private void ensureCapacity(int more) {
    if (bytes.length - length < more) {
      growBy(more);
    }
  }

  private void growBy(int more) {
    bytes = Arrays.copyOf(bytes, Math.addExact(length + more, bytes.length / 2));
  }

  @Override
  public String toString() {
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }
}
