package dev.weir.core.reduce.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array of JSON text. Used by one thread. */
public final class PlainJsonWriter {
  private static final int MAX_NUMBER_LENGTH = 20;

  private byte[] bytes;
  private int length;

  /**
   * Creates an empty writer.
   *
   * @param capacity the initial capacity in bytes
   */
  public PlainJsonWriter(int capacity) {
    bytes = new byte[capacity];
  }

  /** Converts text that consists of ASCII characters to bytes. */
  public static byte[] toAscii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Returns whether the text is ASCII and needs no escape. */
  public static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Returns whether UTF-8 text is ASCII and needs no escape. */
  public static boolean isPlain(byte[] text, int offset, int count) {
    for (int i = offset; i < offset + count; i++) {
      byte c = text[i];
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Returns the number of bytes written. */
  public int length() {
    return length;
  }

  /** Discards the bytes after the first {@code size}. */
  public void truncate(int size) {
    length = size;
  }

  /** Returns the backing array; the text starts at index 0. */
  public byte[] bytes() {
    return bytes;
  }

  /** Copies all bytes to the stream and clears the writer. */
  public void drainTo(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
    length = 0;
  }

  /** Appends an ASCII character. */
  public void put(char c) {
    ensureCapacity(1);
    bytes[length++] = (byte) c;
  }

  /** Appends bytes unchanged. */
  public void put(byte[] text) {
    put(text, 0, text.length);
  }

  /** Appends a range of an array unchanged. */
  public void put(byte[] text, int offset, int count) {
    ensureCapacity(count);
    System.arraycopy(text, offset, bytes, length, count);
    length += count;
  }

  /** Appends text that {@linkplain #isPlain is plain}. */
  @SuppressWarnings("deprecation") // the one way to get at a string's bytes without a copy
  public void putPlain(String text) {
    ensureCapacity(text.length());
    text.getBytes(0, text.length(), bytes, length);
    length += text.length();
  }

  /** Appends a number as {@code JsonGenerator} does: NaN and infinities as strings. */
  public void put(double number) {
    boolean finite = Double.isFinite(number);
    if (!finite) {
      put('"');
    }
    putPlain(Double.toString(number));
    if (!finite) {
      put('"');
    }
  }

  /** Appends a whole number. */
  public void put(long number) {
    ensureCapacity(MAX_NUMBER_LENGTH);
    if (number < 0) {
      put(toAscii(Long.toString(number)));
      return;
    }
    int end = length + countDigits(number);
    long rest = number;
    for (int at = end; at > length; rest /= 10) {
      bytes[--at] = (byte) ('0' + rest % 10);
    }
    length = end;
  }

  private static int countDigits(long number) {
    int digits = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private void ensureCapacity(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.addExact(length + more, bytes.length / 2));
    }
  }
}
