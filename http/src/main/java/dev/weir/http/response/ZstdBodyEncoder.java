package dev.weir.http.response;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Encodes one zstd frame (RFC 8878). */
final class ZstdBodyEncoder implements BodyEncoder {

  private static final int MIN_OUTPUT_BYTES = 16 << 10;

  private final ZstdCompressCtx context = new ZstdCompressCtx();
  private boolean closed;

  ZstdBodyEncoder(int level) {
    context.setLevel(level);
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
