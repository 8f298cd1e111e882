package dev.weir.gateway.reduce;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Pieces of JSON in an array that grows. Used by one thread. */
final class PlainJson {
  private static final int LONGEST_NUMBER = 20;

  private byte[] bytes;
  private int length;

  PlainJson(int room) {
    bytes = new byte[room];
  }

  /** Text that is ASCII, to be put as it is. */
  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Whether text is ASCII and needs no escape. */
  static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  int length() {
    return length;
  }

  /** Forgets what was put after the first {@code size} bytes. */
  void cut(int size) {
    length = size;
  }

  byte[] bytes() {
    return bytes;
  }

  /** Writes all of it out, and begins anew. */
  void drainTo(OutputStream out) throws IOException {
    out.write(bytes, 0, length);
    length = 0;
  }

  void put(char c) {
    room(1);
    bytes[length++] = (byte) c;
  }

  void put(byte[] text) {
    put(text, 0, text.length);
  }

  void put(byte[] text, int offset, int count) {
    room(count);
    System.arraycopy(text, offset, bytes, length, count);
    length += count;
  }

  /** Puts text that {@linkplain #isPlain is plain}. */
  @SuppressWarnings("deprecation") // the one way to get at a string's bytes without a copy
  void putPlain(String text) {
    room(text.length());
    text.getBytes(0, text.length(), bytes, length);
    length += text.length();
  }

  void put(long number) {
    room(LONGEST_NUMBER);
    if (number < 0) {
      put(ascii(Long.toString(number)));
      return;
    }
    int end = length + digits(number);
    long rest = number;
    for (int at = end; at > length; rest /= 10) {
      bytes[--at] = (byte) ('0' + rest % 10);
    }
    length = end;
  }

  private static int digits(long number) {
    int digits = 1;
    for (long rest = number; rest >= 10; rest /= 10) {
      digits++;
    }
    return digits;
  }

  private void room(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.addExact(length + more, bytes.length / 2));
    }
  }
}
