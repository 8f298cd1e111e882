package dev.weir.gateway.columnar.arrow;

import dev.weir.gateway.columnar.table.Longs;
import dev.weir.gateway.parse.AnswerForm.Outputs;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** One of the buffers that a vector is made of, little-endian. Used by one thread. */
final class Buffer {
  private static final int LEAST_STAGE = 128;
  private static final int MOST_STAGE = 2048;

  /** What is staged is so much less than what was put. */
  private static final int SHARE = 8;

  private final BytesStreamOutput out;
  private byte[] stage = new byte[LEAST_STAGE];
  private int staged;
  private int bits;
  private int bitCount;

  Buffer(Outputs outputs) {
    out = outputs.open(LEAST_STAGE);
  }

  /** Puts the lowest bytes of a number. */
  void put(long number, int width) {
    if (stage.length - staged < Long.BYTES) {
      flush();
    }
    Longs.put(stage, staged, number);
    staged += width;
  }

  void put(byte[] bytes, int from, int length) {
    if (length > stage.length - staged) {
      flush();
      if (length > stage.length) {
        out.writeBytes(bytes, from, length);
        return;
      }
    }
    System.arraycopy(bytes, from, stage, staged, length);
    staged += length;
  }

  /** Puts a bit, the lowest of a byte first; nothing else is put into such a buffer. */
  void putBit(boolean bit) {
    bits |= bit ? 1 << bitCount : 0;
    bitCount++;
    if (bitCount == 8) {
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

  /** All that was put; nothing more can be. */
  BytesReference bytes() {
    if (bitCount > 0) {
      put(bits, 1);
      bitCount = 0;
    }
    flush();
    return out.size() == 0 ? BytesArray.EMPTY : out.bytes();
  }
}
