package dev.weir.responses.columnar.table;

import dev.weir.model.PackedBytes;
import java.util.Arrays;

/**
 * A member's key in its JSON notation, with quotes and a directly following colon. It compares
 * itself with input eight bytes at a time. Immutable.
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

  /**
   * Copies a key from JSON.
   *
   * @param from the position of the opening quote
   * @param to the position after the closing quote
   */
  public static JsonKey from(byte[] bytes, int from, int to) {
    byte[] text = Arrays.copyOfRange(bytes, from, to + 1);
    text[text.length - 1] = ':';
    return new JsonKey(text);
  }

  /** Returns the length in bytes. */
  int length() {
    return text.length;
  }

  /** Returns true if the key is at this position; the array must contain that many bytes. */
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

  /** Returns true if the bytes between two positions, quotes included, equal this key. */
  public boolean matchesExactly(byte[] bytes, int from, int to) {
    return to - from == text.length - 1 && PackedBytes.isEqual(text, 0, bytes, from, to - from);
  }
}
