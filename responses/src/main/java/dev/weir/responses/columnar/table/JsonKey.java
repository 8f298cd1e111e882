package dev.weir.responses.columnar.table;

import java.util.Arrays;

/**
 * The key of a member as it is written, with quotes and a colon right behind: what is found at a
 * place by comparing eight bytes at a time. Immutable.
 */
public final class JsonKey {
  private final byte[] text;
  private final long firstBytes;
  private final long firstMask;
  private final long lastBytes;

  private JsonKey(byte[] text) {
    byte[] padded = Arrays.copyOf(text, Math.max(text.length, Long.BYTES));
    this.text = text;
    this.firstBytes = PackedBytes.readLong(padded, 0);
    this.firstMask = -1L >>> (Byte.SIZE * (padded.length - text.length));
    this.lastBytes = PackedBytes.readLong(padded, padded.length - Long.BYTES);
  }

  /** A key that is written somewhere, from its first quote to behind its last. */
  public static JsonKey from(byte[] bytes, int from, int to) {
    byte[] text = Arrays.copyOfRange(bytes, from, to + 1);
    text[text.length - 1] = ':';
    return new JsonKey(text);
  }

  /** How many bytes it has. */
  int length() {
    return text.length;
  }

  /** Whether it is at a place; the array has as many bytes there as it has, or more. */
  boolean matchesAt(byte[] bytes, int at) {
    if (at > bytes.length - Long.BYTES) {
      return PackedBytes.isEqual(text, 0, bytes, at, text.length);
    }
    return ((PackedBytes.readLong(bytes, at) ^ firstBytes) & firstMask) == 0
        && (text.length <= Long.BYTES || matchesRestAt(bytes, at));
  }

  private boolean matchesRestAt(byte[] bytes, int at) {
    int rest = text.length - Long.BYTES;
    return PackedBytes.readLong(bytes, at + rest) == lastBytes
        && (rest <= Long.BYTES
            || PackedBytes.isEqual(text, Long.BYTES, bytes, at + Long.BYTES, rest));
  }

  /** Whether it is what lies between two places, which begins and ends with a quote. */
  public boolean matchesExactly(byte[] bytes, int from, int to) {
    return to - from == text.length - 1 && PackedBytes.isEqual(text, 0, bytes, from, to - from);
  }
}
