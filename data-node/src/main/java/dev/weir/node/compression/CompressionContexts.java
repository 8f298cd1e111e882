package dev.weir.node.compression;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;
import org.opensearch.core.common.io.stream.StreamOutput;

/**
 * zstd's contexts, lent for one message at a time. The node keeps at most two of each kind for each
 * processor, and frees what is beyond. Safe on any thread; no call blocks.
 */
final class CompressionContexts {
  private static final int MAX_IDLE = 2 * Runtime.getRuntime().availableProcessors();
  private static final ArrayBlockingQueue<Compression> COMPRESSIONS =
      new ArrayBlockingQueue<>(MAX_IDLE);
  private static final ArrayBlockingQueue<ZstdDecompressCtx> DECOMPRESSIONS =
      new ArrayBlockingQueue<>(MAX_IDLE);

  private CompressionContexts() {}

  /** Lends a context, for one message. */
  static Compression compression() {
    Compression idle = COMPRESSIONS.poll();
    return idle == null ? new Compression() : idle;
  }

  /**
   * Decompresses a frame.
   *
   * @param size of the decompressed bytes
   * @throws IOException if the frame is broken, or has another size
   */
  static byte[] decompress(byte[] frame, int length, int size) throws IOException {
    ZstdDecompressCtx idle = DECOMPRESSIONS.poll();
    ZstdDecompressCtx context = idle == null ? new ZstdDecompressCtx() : idle;
    try {
      byte[] to = new byte[size];
      int read = context.decompressByteArray(to, 0, size, frame, 0, length);
      if (read != size) {
        throw new IOException(
            "got a compressed request of " + read + " bytes (expected: " + size + ")");
      }
      return to;
    } catch (RuntimeException broken) { // zstd-jni has unchecked exceptions
      throw new IOException("got a broken compressed request (expected: zstd)", broken);
    } finally {
      if (!DECOMPRESSIONS.offer(context)) {
        context.close();
      }
    }
  }

  /** A context that compresses, with its buffers: about 1.3 MB of native memory, 64 KB of heap. */
  static final class Compression {
    private static final int BUFFER_BYTES = 64 << 10;

    /**
     * Of 1 to 22: the fastest of the usual ones, which compresses better than DEFLATE's level 3.
     */
    private static final int LEVEL = 1;

    private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(LEVEL).setChecksum(true);
    private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
    private final byte[] buffer = new byte[BUFFER_BYTES];

    /** Returns an array for what is compressed next, as long as {@link #in}. */
    byte[] buffer() {
      return buffer;
    }

    /** Returns the bytes to compress. */
    ByteBuffer in() {
      return in;
    }

    /** Compresses all of {@link #in}. */
    void compress(EndDirective how, StreamOutput to) throws IOException {
      boolean ended;
      do {
        out.clear();
        ended = zstd.compressDirectByteBufferStream(out, in, how);
        int length = out.flip().remaining();
        copy(length, to);
      } while (how == EndDirective.END ? !ended : in.hasRemaining());
    }

    /** Copies by way of the array, whose bytes are in {@link #in} by now. */
    private void copy(int length, StreamOutput to) throws IOException {
      out.get(buffer, 0, length);
      to.writeBytes(buffer, 0, length);
    }

    /** Gives the context back; one that did not end its frame is freed. */
    void giveBack(boolean reusable) {
      if (!reusable || !COMPRESSIONS.offer(this)) {
        zstd.close();
      }
    }
  }
}
