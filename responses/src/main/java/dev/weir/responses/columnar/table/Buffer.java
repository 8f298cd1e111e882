package dev.weir.responses.columnar.table;

import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * An output for small pieces, which are put together before it gets them; numbers are
 * little-endian. Used by one thread.
 */
public final class Buffer {
  /** How much is expected where nothing is known. */
  public static final int ROOM = 128;

  private static final int MOST_STAGE = 2048;

  /** What is staged is so much less than what was put. */
  private static final int SHARE = 8;

  private final BytesStreamOutput out;
  private byte[] stage = new byte[ROOM];
  private int staged;
  private int bits;
  private int bitCount;

  /** Makes one that is the only one to put something into an output. */
  public Buffer(BytesStreamOutput out) {
    this.out = out;
  }

  /** Puts the lowest bytes of a number. */
  public void put(long number, int width) {
    if (stage.length - staged < Long.BYTES) {
      flush();
    }
    Longs.put(stage, staged, number);
    staged += width;
  }

  /** Puts a character that is ASCII. */
  public void put(char ascii) {
    if (stage.length == staged) {
      flush();
    }
    stage[staged++] = (byte) ascii;
  }

  /** Puts so many bytes of an array. */
  public void put(byte[] bytes, int from, int length) {
    if (length > stage.length - staged) {
      putMuch(bytes, from, length);
      return;
    }
    System.arraycopy(bytes, from, stage, staged, length);
    staged += length;
  }

  private void putMuch(byte[] bytes, int from, int length) {
    flush();
    if (length > stage.length) {
      out.writeBytes(bytes, from, length);
    } else {
      put(bytes, from, length);
    }
  }

  /** Puts a bit, the lowest of a byte first; nothing else is put into such a buffer. */
  public void putBit(boolean bit) {
    bits |= bit ? 1 << bitCount : 0;
    bitCount++;
    if (bitCount == Byte.SIZE) {
      put(bits, 1);
      bits = 0;
      bitCount = 0;
    }
  }

  private void flush() {
    out.writeBytes(stage, 0, staged);
    staged = 0;
    if (stage.length < MOST_STAGE && out.size() >= stage.length * SHARE) {
      stage = new byte[stage.length * 2];
    }
  }

  /** Forgets everything, as if nothing had been put. */
  public void clear() {
    staged = 0;
    bits = 0;
    bitCount = 0;
    out.reset();
  }

  /** All that was put; nothing more can be. */
  public BytesReference bytes() {
    if (bitCount > 0) {
      put(bits, 1);
      bitCount = 0;
    }
    flush();
    return out.size() == 0 ? BytesArray.EMPTY : out.bytes();
  }
}
