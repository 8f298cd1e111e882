package dev.weir.http.response;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * Encodes one zstd frame (RFC 8878). Bounds its memory, which the library allocates outside of the
 * heap: by its own choice it would take 3.5 MB at level 3 and 53 MB at level 12, for as long as a
 * client takes to read the response.
 */
final class ZstdBodyEncoder implements BodyEncoder {

  private static final int MIN_OUTPUT_BYTES = 16 << 10;

  /** The window is 256 KB. */
  private static final int WINDOW_LOG = 18;

  /** Up to this level the library's tables fit the window. */
  private static final int MAX_LEVEL_OF_SMALL_TABLES = 3;

  /** The binary logarithm of the entries of a table, of four bytes each. */
  private static final int TABLE_LOG = 18;

  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private final boolean hasLargeTables;
  private boolean closed;

  ZstdBodyEncoder(int level) {
    hasLargeTables = level > MAX_LEVEL_OF_SMALL_TABLES;
    context.setLevel(level);
    context.setWindowLog(WINDOW_LOG);
    if (hasLargeTables) {
      context.setHashLog(TABLE_LOG);
      context.setChainLog(TABLE_LOG);
    }
  }

  @Override
  public int memoryBytes() {
    return hasLargeTables ? 3 << 20 : 2 << 20;
  }

  @Override
  public void encode(ByteBuf in, ByteBuf out, boolean last) {
    if (in.isDirect() && in.nioBufferCount() == 1) {
      encode(in.nioBuffer(), out, last);
    } else {
      ByteBuf direct = ByteBufAllocator.DEFAULT.directBuffer(Math.max(1, in.readableBytes()));
      try {
        direct.writeBytes(in, in.readerIndex(), in.readableBytes());
        encode(direct.nioBuffer(), out, last);
      } finally {
        direct.release();
      }
    }
    in.skipBytes(in.readableBytes());
  }

  private void encode(ByteBuffer input, ByteBuf out, boolean last) {
    EndDirective directive = last ? EndDirective.END : EndDirective.CONTINUE;
    boolean done = false;
    while (!done) {
      out.ensureWritable(MIN_OUTPUT_BYTES);
      ByteBuffer room = out.nioBuffer(out.writerIndex(), out.writableBytes());
      int before = room.position();
      boolean flushed = context.compressDirectByteBufferStream(room, input, directive);
      out.writerIndex(out.writerIndex() + room.position() - before);
      done = last ? flushed : !input.hasRemaining();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      context.close();
    }
  }
}
