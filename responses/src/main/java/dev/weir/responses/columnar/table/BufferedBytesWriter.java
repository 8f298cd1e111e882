package dev.weir.responses.columnar.table;

import dev.weir.model.PackedBytes;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/**
 * Combines small writes into larger ones before they reach an output; numbers are little-endian.
 * Used by one thread.
 */
public final class BufferedBytesWriter {
  /** The initial capacity of an output of unknown size. */
  public static final int DEFAULT_CAPACITY = 128;

  private static final int MAX_STAGE_BYTES = 2048;

  /** The stage holds at most this fraction of the bytes written so far. */
  private static final int STAGE_SHARE = 8;

  private final BytesStreamOutput out;
  private byte[] stage = new byte[DEFAULT_CAPACITY];
  private int stagedBytes;
  private int pendingBits;
  private int pendingBitCount;

  /** Creates the only writer of an output. */
  public BufferedBytesWriter(BytesStreamOutput out) {
    this.out = out;
  }

  /** Writes the lowest bytes of a number. */
  public void put(long number, int width) {
    if (stage.length - stagedBytes < Long.BYTES) {
      flush();
    }
    PackedBytes.writeLong(stage, stagedBytes, number);
    stagedBytes += width;
  }

  /** Writes one ASCII character. */
  public void put(char ascii) {
    if (stage.length == stagedBytes) {
      flush();
    }
    stage[stagedBytes++] = (byte) ascii;
  }

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

  /**
   * Writes a bit, the lowest bit of a byte first. Do not mix bits with other values in one output.
   */
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

  /** Discards everything written so far. */
  public void clear() {
    stagedBytes = 0;
    pendingBits = 0;
    pendingBitCount = 0;
    out.reset();
  }

  /** Returns everything written; call it last. */
  public BytesReference bytes() {
    if (pendingBitCount > 0) {
      put(pendingBits, 1);
      pendingBitCount = 0;
    }
    flush();
    return out.size() == 0 ? BytesArray.EMPTY : out.bytes();
  }
}
