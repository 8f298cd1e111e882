package dev.weir.responses.columnar.table;

import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * An output for small pieces, which are put together before it gets them; numbers are
 * little-endian. Used by one thread.
 */
public final class BufferedBytesWriter {
  /** How much is expected where nothing is known. */
  public static final int DEFAULT_CAPACITY = 128;

  private static final int MAX_STAGE_BYTES = 2048;

  /** What is staged is so much less than what was put. */
  private static final int STAGE_SHARE = 8;

  private final BytesStreamOutput out;
  private byte[] stage = new byte[DEFAULT_CAPACITY];
  private int stagedBytes;
  private int pendingBits;
  private int pendingBitCount;

  /** Makes one that is the only one to put something into an output. */
  public BufferedBytesWriter(BytesStreamOutput out) {
    this.out = out;
  }

  /** Puts the lowest bytes of a number. */
  public void put(long number, int width) {
    if (stage.length - stagedBytes < Long.BYTES) {
      flush();
    }
    PackedBytes.writeLong(stage, stagedBytes, number);
    stagedBytes += width;
  }

  /** Puts a character that is ASCII. */
  public void put(char ascii) {
    if (stage.length == stagedBytes) {
      flush();
    }
    stage[stagedBytes++] = (byte) ascii;
  }

  /** Puts so many bytes of an array. */
  public void put(byte[] bytes, int from, int length) {
    if (length > stage.length - stagedBytes) {
      writeThrough(bytes, from, length);
      return;
    }
    System.arraycopy(bytes, from, stage, stagedBytes, length);
    stagedBytes += length;
  }

  private void writeThrough(byte[] bytes, int from, int length) {
    flush();
    if (length > stage.length) {
      out.writeBytes(bytes, from, length);
    } else {
      put(bytes, from, length);
    }
  }

  /** Puts a bit, the lowest of a byte first; nothing else is put into such a buffer. */
  public void putBit(boolean bit) {
    pendingBits |= bit ? 1 << pendingBitCount : 0;
    pendingBitCount++;
    if (pendingBitCount == Byte.SIZE) {
      put(pendingBits, 1);
      pendingBits = 0;
      pendingBitCount = 0;
    }
  }

  private void flush() {
    out.writeBytes(stage, 0, stagedBytes);
    stagedBytes = 0;
    if (stage.length < MAX_STAGE_BYTES && out.size() >= stage.length * STAGE_SHARE) {
      stage = new byte[stage.length * 2];
    }
  }

  /** Forgets everything, as if nothing had been put. */
  public void clear() {
    stagedBytes = 0;
    pendingBits = 0;
    pendingBitCount = 0;
    out.reset();
  }

  /** All that was put; nothing more can be. */
  public BytesReference bytes() {
    if (pendingBitCount > 0) {
      put(pendingBits, 1);
      pendingBitCount = 0;
    }
    flush();
    return out.size() == 0 ? BytesArray.EMPTY : out.bytes();
  }
}
