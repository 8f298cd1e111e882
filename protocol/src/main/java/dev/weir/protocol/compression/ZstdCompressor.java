package dev.weir.protocol.compression;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import java.nio.ByteBuffer;

/** Compresses into zstd frames with a checksum. */
public final class ZstdCompressor implements PayloadCompressor {
  private static final int STAGED_BYTES = 64 << 10;
  private static final byte[] NONE = {};

  /** Of 1 to 22: the fastest of the usual ones, which compresses better than DEFLATE's level 3. */
  private static final int LEVEL = 1;

  private final ZstdCompressCtx zstd = new ZstdCompressCtx();

  /** What zstd has not taken; it reads no arrays. */
  private final ByteBuffer staged = ByteBuffer.allocateDirect(STAGED_BYTES);

  private byte[] input = NONE;
  private int from;
  private int left;
  private boolean finishing;
  private boolean ended;

  /** Allocates about 1.3 MB outside of the heap. */
  public ZstdCompressor() {
    setParameters();
  }

  private void setParameters() {
    zstd.setLevel(LEVEL).setChecksum(true);
  }

  @Override
  public void setInput(byte[] bytes, int offset, int length) {
    input = bytes;
    from = offset;
    left = length;
  }

  @Override
  public void finish() {
    finishing = true;
  }

  @Override
  public int compress(ByteBuffer into) {
    int begin = into.position();
    stage();
    while (into.hasRemaining() && (left > 0 || (finishing && !ended))) {
      boolean last = finishing && left == 0;
      staged.flip();
      boolean flushed =
          zstd.compressDirectByteBufferStream(
              into, staged, last ? EndDirective.END : EndDirective.CONTINUE);
      ended = last && flushed;
      staged.compact();
      stage();
    }
    return into.position() - begin;
  }

  private void stage() {
    int now = Math.min(left, staged.remaining());
    staged.put(input, from, now);
    from += now;
    left -= now;
  }

  @Override
  public boolean isDone() {
    return left == 0 && (ended || !finishing);
  }

  @Override
  public void reset() {
    if (!ended) {
      zstd.reset(); // the parameters too
      setParameters();
    }
    staged.clear();
    input = NONE;
    left = 0;
    finishing = false;
    ended = false;
  }

  @Override
  public void close() {
    zstd.close();
  }
}
