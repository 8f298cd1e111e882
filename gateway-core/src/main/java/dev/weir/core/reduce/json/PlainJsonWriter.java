package dev.weir.core.reduce.json;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Pieces of JSON in an array that grows. Used by one thread. */
public final class PlainJsonWriter {
  private static final int MAX_NUMBER_LENGTH = 20;

  private byte[] bytes;
  private int length;

  /** Makes an empty one, with room for so many bytes at first. */
  public PlainJsonWriter(int room) {
    bytes = new byte[room];
  }

  /** Text that is ASCII, to be put as it is. */
  public static byte[] toAscii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether text is ASCII and needs no escape. */
  public static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** Whether text, in UTF-8, is ASCII and needs no escape. */
  public static boolean isPlain(byte[] text, int offset, int count) {
    for (int i = offset; i < offset + count; i++) {
      byte c = text[i];
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** How many bytes were put. */
  public int length() {
    return length;
  }

  /** Forgets what was put after the first {@code size} bytes. */
  public void truncate(int size) {
    length = size;
  }

  /** The array that they are in, from its beginning. */
  public byte[] bytes() {
    return bytes;
  }

  /** Writes all of it out, and starts over. */
  public void drainTo(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
    length = 0;
  }

  /** Puts an ASCII character. */
  public void put(char c) {
    ensureCapacity(1);
    bytes[length++] = (byte) c;
  }

  /** Puts bytes as they are. */
  public void put(byte[] text) {
    put(text, 0, text.length);
  }

  /** Puts some of an array's bytes as they are. */
  public void put(byte[] text, int offset, int count) {
    ensureCapacity(count);
    System.arraycopy(text, offset, bytes, length, count);
    length += count;
  }

  /** Puts text that {@linkplain #isPlain is plain}. */
  @SuppressWarnings("deprecation") // the one way to get at a string's bytes without a copy
  public void putPlain(String text) {
    ensureCapacity(text.length());
    text.getBytes(0, text.length(), bytes, length);
    length += text.length();
  }

  /** Puts a number as {@code JsonGenerator} does: one that JSON has no way to write as text. */
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

  /** Puts a whole number. */
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
