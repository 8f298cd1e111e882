package dev.weir.node.compression;

import com.github.luben.zstd.EndDirective;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * Compresses a response while it is written. Confined to its thread; {@link #close} gives the
 * memory outside of the heap back.
 */
final class ResponseCompressor extends StreamOutput {
  /**
   * The first bytes stay as they are, in bytes: a gateway that has no memory for a response reads
   * there which search context it has to free.
   */
  static final int PLAIN_BYTES = 1024;

  /** Responses below this size stay as they are: they are one or two packets anyway. */
  static final int MIN_BYTES = 2048;

  private final CompressionContexts.Compression context = CompressionContexts.compression();
  private final byte[] buffer = context.buffer();
  private final BytesStreamOutput compressed = new BytesStreamOutput(0);
  private int filled;
  private long passed;
  private boolean done;

  ResponseCompressor() {}

  @Override
  public long position() {
    return passed + filled;
  }

  @Override
  public void writeByte(byte b) throws IOException {
    if (filled == buffer.length) {
      pass(EndDirective.CONTINUE);
    }
    buffer[filled++] = b;
  }

  @Override
  public void writeBytes(byte[] from, int offset, int length) throws IOException {
    int at = offset;
    int left = length;
    while (left > 0) {
      if (filled == buffer.length) {
        pass(EndDirective.CONTINUE);
      }
      int now = Math.min(left, buffer.length - filled);
      System.arraycopy(from, at, buffer, filled, now);
      filled += now;
      at += now;
      left -= now;
    }
  }

  /** Returns what was written; nothing can be written after this. */
  WrittenResponse finish() throws IOException {
    if (position() < MIN_BYTES) {
      done = true;
      return new WrittenResponse(new BytesArray(Arrays.copyOf(buffer, filled)), 0);
    }
    int size = Math.toIntExact(position());
    pass(EndDirective.END);
    done = true;
    return new WrittenResponse(compressed.bytes(), size);
  }

  private void pass(EndDirective how) throws IOException {
    int from = 0;
    if (passed == 0) {
      compressed.writeBytes(buffer, 0, PLAIN_BYTES);
      from = PLAIN_BYTES;
    }
    ByteBuffer in = context.in().clear();
    in.put(buffer, from, filled - from).flip();
    passed += filled;
    filled = 0;
    context.compress(how, compressed);
  }

  @Override
  public void flush() {}

  @Override
  public void reset() {
    throw new UnsupportedOperationException("a response is written once");
  }

  /** Frees what belongs to a response that was not finished. */
  @Override
  public void close() {
    context.giveBack(done);
  }
}
