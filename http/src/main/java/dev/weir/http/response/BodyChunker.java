package dev.weir.http.response;

import dev.weir.model.ResponseBody;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/**
 * Splits a response's body into direct buffers of {@link #CHUNK_SIZE}: a socket needs direct
 * memory, and few buffers per write. Confined to the connection's event loop.
 */
final class BodyChunker {

  /** The size of a chunk, in bytes. */
  static final int CHUNK_SIZE = 64 << 10;

  private final ResponseBody.Reader reader;
  private final ByteBufAllocator allocator;
  private long remaining;

  BodyChunker(ResponseBody body, ByteBufAllocator allocator) {
    this.reader = body.reader();
    this.allocator = allocator;
    this.remaining = body.length();
  }

  /** Returns the number of bytes not returned yet. */
  long remaining() {
    return remaining;
  }

  /**
   * Returns the next chunk, owned by the caller. Call only while {@link #remaining} is positive.
   */
  ByteBuf next() {
    int size = (int) Math.min(remaining, CHUNK_SIZE);
    ByteBuf piece = allocator.directBuffer(size, size);
    boolean done = false;
    try {
      ByteBuffer room = piece.internalNioBuffer(0, size);
      reader.read(room);
      if (room.hasRemaining()) {
        throw new IllegalStateException(
            "got a body that is short by "
                + room.remaining()
                + " bytes (expected: its announced length)");
      }
      piece.writerIndex(size);
      done = true;
    } finally {
      if (!done) {
        piece.release();
      }
    }
    remaining -= size;
    return piece;
  }
}
