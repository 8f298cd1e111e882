package dev.weir.responses.columnar.table;

import java.util.Arrays;

/**
 * The key of a member as it is written, with quotes and a colon right behind: what is found at a
 * place by comparing eight bytes at a time. Immutable.
 */
public final class Key {
  private final byte[] text;
  private final long head;
  private final long mask;
  private final long tail;

  private Key(byte[] text) {
    byte[] padded = Arrays.copyOf(text, Math.max(text.length, Long.BYTES));
    this.text = text;
    this.head = Longs.at(padded, 0);
    this.mask = -1L >>> (Byte.SIZE * (padded.length - text.length));
    this.tail = Longs.at(padded, padded.length - Long.BYTES);
  }

  /** A key that is written somewhere, from its first quote to behind its last. */
  public static Key of(byte[] bytes, int from, int to) {
    byte[] text = Arrays.copyOfRange(bytes, from, to + 1);
    text[text.length - 1] = ':';
    return new Key(text);
  }

  /** How many bytes it has. */
  int length() {
    return text.length;
  }

  /** Whether it is at a place; the array has as many bytes there as it has, or more. */
  boolean isAt(byte[] bytes, int at) {
    if (at > bytes.length - Long.BYTES) {
      return Longs.equal(text, 0, bytes, at, text.length);
    }
    return ((Longs.at(bytes, at) ^ head) & mask) == 0
        && (text.length <= Long.BYTES || isRestAt(bytes, at));
  }

  private boolean isRestAt(byte[] bytes, int at) {
    int rest = text.length - Long.BYTES;
    return Longs.at(bytes, at + rest) == tail
        && (rest <= Long.BYTES || Longs.equal(text, Long.BYTES, bytes, at + Long.BYTES, rest));
  }

  /** Whether it is what lies between two places, which begins and ends with a quote. */
  public boolean isAll(byte[] bytes, int from, int to) {
    return to - from == text.length - 1 && Longs.equal(text, 0, bytes, from, to - from);
  }
}
