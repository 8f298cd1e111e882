package dev.weir.gateway.columnar.arrow;

import dev.weir.gateway.parse.AnswerForm.Outputs;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;

/** One of the buffers that a vector is made of, little-endian. Used by one thread. */
final class Buffer {
  private static final int STAGE = 128;

  private final BytesStreamOutput out;
  private final byte[] stage = new byte[STAGE];
  private int staged;
  private int bits;
  private int bitCount;

  Buffer(Outputs outputs) {
    out = outputs.open(STAGE);
  }

  /** Puts the lowest bytes of a number. */
  void put(long number, int width) {
    if (STAGE - staged < width) {
      flush();
    }
    for (int i = 0; i < width; i++) {
      stage[staged++] = (byte) (number >>> (8 * i));
    }
  }

  void put(byte[] bytes, int from, int length) {
    if (length > STAGE - staged) {
      flush();
      out.writeBytes(bytes, from, length);
    } else {
      System.arraycopy(bytes, from, stage, staged, length);
      staged += length;
    }
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
