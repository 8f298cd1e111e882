package dev.weir.node.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdDictDecompress;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import org.apache.lucene.store.DataInput;
import org.apache.lucene.util.ArrayUtil;
import org.jspecify.annotations.Nullable;

/**
 * zstd's contexts for decompression, lent for one chunk at a time. Segments own none: their number
 * follows the threads that fetch at the same time, not the segments. The node keeps at most two for
 * each processor, each about 160 KB of native memory, and frees what is beyond.
 *
 * <p>Safe for use by several threads; no call blocks.
 */
final class DecompressionContexts {
  private static final ArrayBlockingQueue<Context> IDLE =
      new ArrayBlockingQueue<>(2 * Runtime.getRuntime().availableProcessors());

  private DecompressionContexts() {}

  static Context borrow() {
    Context idle = IDLE.poll();
    return idle == null ? new Context() : idle;
  }

  static void giveBack(Context context) {
    context.forgetDictionary();
    if (!IDLE.offer(context)) {
      context.close();
    }
  }

  /** A context and the bytes of a frame. Confined to its borrower. */
  static final class Context {
    private static final int MAX_KEPT_FRAME = 128 * 1024;

    private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
    private byte[] frame = {};

    /** Reads a frame; the array is longer than the frame, and good until the next call. */
    byte[] read(DataInput in, int size) throws IOException {
      frame = ArrayUtil.growNoCopy(frame, size);
      in.readBytes(frame, 0, size);
      return frame;
    }

    /**
     * Decompresses a frame; returns the number of bytes written.
     *
     * @throws com.github.luben.zstd.ZstdException if the frame is broken or yields more bytes
     */
    int decompress(ZstdMode mode, byte[] from, int size, byte[] to, int length) {
      ZstdDictDecompress dictionary = mode.nativeDictionary();
      use(dictionary);
      return zstd.decompressByteArray(to, 0, length, from, 0, size);
    }

    private void use(@Nullable ZstdDictDecompress dictionary) {
      if (dictionary != null) {
        zstd.loadDict(dictionary);
      }
    }

    /** Lets go of the dictionary, which its segment may free. */
    private void forgetDictionary() {
      zstd.reset();
      if (frame.length > MAX_KEPT_FRAME) {
        frame = new byte[0];
      }
    }

    private void close() {
      zstd.close();
    }
  }
}
